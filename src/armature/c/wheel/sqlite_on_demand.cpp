// SQLite, looked for when the first bag of ROS 2 is read: the library of the wheel is a tenth smaller without it, and most systems have
// it. Defines those functions of <sqlite3.h> that formats/rosbag_db3.cpp calls.
#include <dlfcn.h>
#include <sqlite3.h>

#include <array>
#include <cstdarg>

#include "armature/core/error.hpp"

namespace {

/// The function of this name in the system's library. Throws Error where there is none.
void* sqlite_function(const char* name) {
  static void* const library = [] {
    for (const char* file : std::array{"libsqlite3.so.0", "libsqlite3.so"})
      if (void* found = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return found;
    return static_cast<void*>(nullptr);
  }();
  void* function = library ? dlsym(library, name) : nullptr;
  if (!function)
    throw armature::core::Error("a bag in a database (.db3) is read with SQLite, which is not on this system",
                                "install it (apt install libsqlite3-0), or convert the bag to .mcap");
  return function;
}

}  // namespace

// NAME(...) as <sqlite3.h> declares it, handed on to the system's library.
#define ARMATURE_ON_DEMAND(name, declared, given)                                           \
  auto name declared->decltype(name given) {                                                \
    static const auto function = reinterpret_cast<decltype(&name)>(sqlite_function(#name)); \
    return function given;                                                                  \
  }

extern "C" {
ARMATURE_ON_DEMAND(sqlite3_close, (sqlite3 * a), (a))
ARMATURE_ON_DEMAND(sqlite3_finalize, (sqlite3_stmt * a), (a))
ARMATURE_ON_DEMAND(sqlite3_open_v2, (const char* a, sqlite3** b, int c, const char* d), (a, b, c, d))
ARMATURE_ON_DEMAND(sqlite3_limit, (sqlite3 * a, int b, int c), (a, b, c))
ARMATURE_ON_DEMAND(sqlite3_progress_handler, (sqlite3 * a, int b, int (*c)(void*), void* d), (a, b, c, d))
ARMATURE_ON_DEMAND(sqlite3_deserialize,
                   (sqlite3 * a, const char* b, unsigned char* c, sqlite3_int64 d, sqlite3_int64 e, unsigned f),
                   (a, b, c, d, e, f))
ARMATURE_ON_DEMAND(sqlite3_prepare_v2, (sqlite3 * a, const char* b, int c, sqlite3_stmt** d, const char** e),
                   (a, b, c, d, e))
ARMATURE_ON_DEMAND(sqlite3_step, (sqlite3_stmt * a), (a))
ARMATURE_ON_DEMAND(sqlite3_column_text, (sqlite3_stmt * a, int b), (a, b))
ARMATURE_ON_DEMAND(sqlite3_column_blob, (sqlite3_stmt * a, int b), (a, b))
ARMATURE_ON_DEMAND(sqlite3_column_bytes, (sqlite3_stmt * a, int b), (a, b))
ARMATURE_ON_DEMAND(sqlite3_column_int64, (sqlite3_stmt * a, int b), (a, b))
ARMATURE_ON_DEMAND(sqlite3_bind_text, (sqlite3_stmt * a, int b, const char* c, int d, void (*e)(void*)),
                   (a, b, c, d, e))
ARMATURE_ON_DEMAND(sqlite3_bind_int64, (sqlite3_stmt * a, int b, sqlite3_int64 c), (a, b, c))
ARMATURE_ON_DEMAND(sqlite3_errmsg, (sqlite3 * a), (a))

/// Only for the switches that are called here: an int and where to say what it was.
int sqlite3_db_config(sqlite3* database, int what, ...) {
  static const auto function = reinterpret_cast<decltype(&sqlite3_db_config)>(sqlite_function("sqlite3_db_config"));
  va_list more;
  va_start(more, what);
  const int value = va_arg(more, int);
  int* const before = va_arg(more, int*);
  va_end(more);
  return function(database, what, value, before);
}
}
