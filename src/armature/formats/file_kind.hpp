// What a file is, told by how it begins: so that whoever gives the wrong one is told what it is and where it belongs.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::formats {

enum class FileKind { unknown, arm, urdf, scenario, campaign, log, log_map };

/// By the beginning of the file's text, whether the rest can be read or not.
FileKind kind_of_text(std::string_view text);
/// By the beginning of the file; `unknown` where there is no such file.
FileKind kind_of_file(const std::string& path);

/// Throws FormatError where the file is clearly something else than `wanted`, which the message calls `name`: "an arm".
/// The hint says which verb takes what it is.
void refuse_other_kinds(const std::string& path, std::initializer_list<FileKind> wanted, std::string_view name);

}  // namespace armature::formats
