#include "output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "armature/core/error.hpp"

namespace armature::app {

OutputFile::OutputFile(const std::string& path) : OutputFile(path, path) {}

OutputFile::OutputFile(const std::string& path, const std::string& name) : name_(name) {
  if (path == "-") {
    name_ = "standard output";
    return;
  }
  remove_unfinished_on_signals();
  const SignalsBlocked quiet;  // between making the file and remembering it
  file_.emplace(path, name);
  if (!file_->temporary().empty()) temporary_.emplace(file_->temporary());
}

void OutputFile::write(const std::string& text) {
  if (file_) return file_->write(text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?", {name_});
}

void OutputFile::commit() {
  if (file_) {
    file_->commit();
    temporary_.reset();
  } else if (std::fflush(stdout) != 0) {
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?", {name_});
  }
}

}  // namespace armature::app
