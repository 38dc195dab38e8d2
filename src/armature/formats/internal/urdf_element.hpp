// An element of a URDF while it is read: what it may have, what it has besides, and what it lacks.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "armature/formats/internal/xml.hpp"

namespace armature::formats {

[[noreturn]] void fail(const Place& place, const std::string& finding, const std::string& hint);

/// What a file says beyond its links and joints.
struct UrdfBeside {
  bool as_given;                         // the file is taken at its word: macros of xacro that were left are ignored
  bool whole_without_xacro = false;      // links and joints are there, and xacro is to fill in nothing of them
  std::map<std::string, Place> ignored;  // by what is said of it
};

/// An element while it is read. The attributes and children asked for are those it may have. One that is nearly spelt like one
/// of them that is missing is an error; another is reported once and ignored (URDF is extended freely).
class UrdfElement {
 public:
  UrdfElement(const XmlElement& element, UrdfBeside& beside) : element_(element), beside_(beside) {}

  const XmlAttribute* find(const char* name);
  /// One that may be missing; some exporters write all that there could be and leave them empty.
  const XmlAttribute* find_filled(const char* name);
  const XmlAttribute& at(const char* name);
  std::string name_at(const char* name);
  /// A name as it is meant; blanks at its ends are seen by nobody.
  std::string without_blanks(const XmlAttribute& attribute);
  std::vector<const XmlElement*> children(const char* name);
  const XmlElement* child(const char* name);
  const XmlElement& child_at(const char* name);
  /// Says what is known to be of no concern here.
  void ignore(std::initializer_list<const char*> names);

  void finish();
  [[nodiscard]] const Place& place() const { return element_.place; }

 private:
  /// Throws where `name`, which is none of those `known`, is nearly one of those `meant`; true where it is another.
  bool judge_slip(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                  const std::vector<std::string>& meant, const Place& place) const;
  /// Whether an arm would be another one if a part of this name were there, misspelt: looks and words of other programs aside.
  [[nodiscard]] bool is_missed(const std::string& name) const;
  void judge(const std::string& what, const std::string& name, const std::vector<std::string>& known,
             const Place& place);

  const XmlElement& element_;
  UrdfBeside& beside_;
  std::vector<std::string> attributes_, children_;
};

}  // namespace armature::formats
