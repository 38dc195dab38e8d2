#include "armature/formats/byte_source.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "armature/core/error.hpp"

namespace armature::formats {

namespace {

class OpenFile : public ByteSource {
 public:
  OpenFile(File file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::fread(to, 1, most, file_.get());
    if (std::ferror(file_.get()) != 0)
      throw FormatError(fmt::format("cannot be read: {}", std::strerror(errno)), "is the disk sound?", {name_});
    return count;
  }

 private:
  File file_;
  std::string name_;
};

class Memory : public ByteSource {
 public:
  explicit Memory(std::string_view left) : left_(left) {}

  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = left_.copy(to, most);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

class XzSource : public ByteSource {
 public:
  XzSource(std::unique_ptr<ByteSource> packed, std::string name) : packed_(std::move(packed)), name_(std::move(name)) {
    check(lzma_stream_decoder(&stream_, unpacking_memory, LZMA_CONCATENATED));
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = most;
    while (stream_.avail_out == most && most > 0 && !ended_) {
      if (stream_.avail_in == 0 && action_ == LZMA_RUN) {
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(buffer_.data());
        stream_.avail_in = packed_->read(buffer_.data(), buffer_.size());
        if (stream_.avail_in == 0) action_ = LZMA_FINISH;
      }
      const lzma_ret answer = lzma_code(&stream_, action_);
      ended_ = answer == LZMA_STREAM_END;
      if (!ended_) check(answer);
      if (stream_.total_out > free_growth && stream_.total_out / largest_growth > stream_.total_in)
        throw FormatError(fmt::format("grows to more than {} times its size when it is unpacked", largest_growth),
                          "no log does; unpack it with `xz -d` if you trust it", {name_});
    }
    return most - stream_.avail_out;
  }

 private:
  void check(lzma_ret answer) const {
    switch (answer) {
      case LZMA_OK:
        return;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        throw FormatError(fmt::format("needs more than {} MiB of memory to be unpacked", unpacking_memory >> 20),
                          "pack it with `xz -9` or less", {name_});
      case LZMA_FORMAT_ERROR:
        throw FormatError("is not packed with xz, whatever its name says", "rename it, or pack it with `xz`", {name_});
      case LZMA_OPTIONS_ERROR:
        throw FormatError("is packed in a way that is not read here", "pack it with plain `xz`", {name_});
      case LZMA_BUF_ERROR:
        throw FormatError("ends early: it is packed with xz and not complete", "copy it again; `xz -t` tests it",
                          {name_});
      default:
        throw FormatError("is packed with xz and damaged", "copy it again; `xz -t` tests it", {name_});
    }
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  lzma_action action_ = LZMA_RUN;
  bool ended_ = false;
  std::array<char, 1 << 15> buffer_{};
};

}  // namespace

std::unique_ptr<ByteSource> bytes_of(File file, std::string name) {
  return std::make_unique<OpenFile>(std::move(file), std::move(name));
}

std::unique_ptr<ByteSource> bytes_of(std::string_view memory) { return std::make_unique<Memory>(memory); }

std::string read_all(ByteSource& source, std::size_t largest, const std::string& name) {
  std::string bytes;
  constexpr std::size_t block = std::size_t{1} << 16;
  for (std::size_t count = 1; count > 0;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + block);
    count = source.read(bytes.data() + size, block);
    bytes.resize(size + count);
    if (bytes.size() > largest)
      throw FormatError(fmt::format("is larger than {} bytes", largest),
                        "is it the right file? larger ones are not read whole", {name});
  }
  return bytes;
}

std::unique_ptr<ByteSource> unpacked_xz(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<XzSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (path == "-") return bytes_of(File(stdin), "standard input");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw FormatError("is a folder", "name a file in it", {path});
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw FormatError(fmt::format("cannot be read: {}", std::strerror(errno)), "is the path right?", {path});
  std::unique_ptr<ByteSource> bytes = bytes_of(std::move(file), path);
  return path.ends_with(".xz") ? unpacked_xz(std::move(bytes), path) : std::move(bytes);
}

}  // namespace armature::formats
