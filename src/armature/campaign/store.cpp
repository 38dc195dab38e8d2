#include "armature/campaign/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "armature/core/error.hpp"

namespace armature::campaign {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::string_view shape_mark = "'shape': (";
constexpr std::size_t shape_width = 20;  // digits of the number of rows, so that the header never moves

/// Writes all of it, or says why not (errno).
bool write_all(int file, const char* data, std::size_t size, std::uint64_t at) {
  while (size > 0) {
    const ssize_t done = ::pwrite(file, data, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    size -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
  return true;
}

bool read_all(int file, char* data, std::size_t size, std::uint64_t at) {
  while (size > 0) {
    const ssize_t done = ::pread(file, data, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    size -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
  return true;
}

std::string header_text(const std::vector<std::string>& columns, std::uint64_t rows) {
  std::string dictionary = "{'descr': [";
  for (const std::string& column : columns) dictionary += fmt::format("('{}', '<f8'), ", column);
  dictionary += fmt::format("], 'fortran_order': False, {}{:>{}},), }}", shape_mark, rows, shape_width);
  const std::size_t before = 12;  // magic, version and length
  dictionary.append(63 - (before + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string text = "\x93NUMPY";
  text += '\x02';
  text += '\0';
  for (int k = 0; k < 4; ++k) text += static_cast<char>(dictionary.size() >> (8 * k) & 255);
  return text + dictionary;
}

}  // namespace

RunStore::RunStore(const std::string& path, std::vector<std::string> columns)
    : path_(path), columns_(std::move(columns)) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)), "may this folder be written to?");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(file_);
    file_ = -1;
    refuse("is being written by another process", "wait for it, or give another folder with -o");
  }
  struct stat about {};
  ::fstat(file_, &about);
  header_ = header_text(columns_, 0).size();
  if (about.st_size == 0)
    write_header();
  else
    read_header();
}

RunStore::~RunStore() {
  if (file_ >= 0) ::close(file_);
}

void RunStore::refuse(const std::string& finding, const std::string& hint) const {
  throw Error(finding, hint, {path_});
}

void RunStore::write_header() {
  const std::string text = header_text(columns_, rows_);
  if (!write_all(file_, text.data(), text.size(), 0))
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?");
}

void RunStore::read_header() {
  const std::string expected = header_text(columns_, 0);
  std::string text(expected.size(), '\0');
  const std::size_t shape = expected.find(shape_mark) + shape_mark.size();
  const bool readable = read_all(file_, text.data(), text.size(), 0);
  std::uint64_t rows = 0;
  for (std::size_t k = shape; readable && k < shape + shape_width; ++k)
    if (text[k] >= '0' && text[k] <= '9') rows = 10 * rows + static_cast<std::uint64_t>(text[k] - '0');
  if (!readable || text != header_text(columns_, rows)) {
    ::close(file_);
    file_ = -1;
    refuse("is not a table of this campaign's runs", "give another folder with -o, or remove the file");
  }
  struct stat about {};
  ::fstat(file_, &about);
  const std::uint64_t whole =
      (static_cast<std::uint64_t>(about.st_size) - header_) / (columns_.size() * sizeof(double));
  rows_ = std::min(rows, whole);
  if (::ftruncate(file_, static_cast<off_t>(offset(rows_))) != 0)
    refuse(fmt::format("cannot be cut: {}", std::strerror(errno)), "may this folder be written to?");
  if (rows_ < rows) write_header();
}

void RunStore::append(std::span<const double> numbers) {
  const auto* bytes = reinterpret_cast<const char*>(numbers.data());
  if (!write_all(file_, bytes, numbers.size_bytes(), offset(rows_))) {
    const int reason = errno;
    (void)!::ftruncate(file_, static_cast<off_t>(offset(rows_)));
    refuse(fmt::format("cannot be written: {}; {} runs are kept", std::strerror(reason), rows_),
           "make room and run the command again: it goes on where it stopped");
  }
  rows_ += numbers.size() / columns_.size();
  write_header();
}

void RunStore::scan(std::uint64_t count,
                    const std::function<void(std::uint64_t, std::span<const double>)>& each) const {
  constexpr std::uint64_t block = 4096;
  const std::size_t width = columns_.size();
  std::vector<double> numbers(static_cast<std::size_t>(std::min(block, count)) * width);
  for (std::uint64_t first = 0; first < count; first += block) {
    const std::uint64_t rows = std::min(block, count - first);
    if (!read_all(file_, reinterpret_cast<char*>(numbers.data()), rows * width * sizeof(double), offset(first)))
      refuse(fmt::format("cannot be read: {}", std::strerror(errno)), "is the disk in order?");
    for (std::uint64_t k = 0; k < rows; ++k) each(first + k, std::span(numbers).subspan(k * width, width));
  }
}

std::vector<double> RunStore::column(std::size_t index, std::uint64_t count) const {
  std::vector<double> values;
  values.reserve(count);
  scan(count, [&](std::uint64_t, std::span<const double> row) { values.push_back(row[index]); });
  return values;
}

std::vector<double> RunStore::row(std::uint64_t run) const {
  std::vector<double> numbers(columns_.size());
  if (!read_all(file_, reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(double), offset(run)))
    refuse(fmt::format("cannot be read: {}", std::strerror(errno)), "is the disk in order?");
  return numbers;
}

}  // namespace armature::campaign
