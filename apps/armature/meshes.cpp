#include "meshes.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "child_output.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t page_triangles = 80'000;              // about 1 MB of a page
constexpr double widest_mesh = 20;                          // [m] a wider one is in millimetres
constexpr std::uintmax_t largest_mesh = 256 * 1024 * 1024;  // [bytes] of a file

struct MeshChoice {
  bool none = false;
  std::vector<std::string> packages;
};
MeshChoice& mesh_choice() {
  static MeshChoice chosen;
  return chosen;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<fs::path> folders_in(const char* variable, const char* below) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);
  const std::string text = value ? value : "";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(':', i), text.size());
    if (end > i) folders.push_back(fs::path(text.substr(i, end - i)) / below);
    i = end + 1;
  }
  return folders;
}

/// Folders in which packages lie, or which are one.
std::vector<fs::path> package_folders(const std::string& folder) {
  std::vector<fs::path> folders(mesh_choice().packages.begin(), mesh_choice().packages.end());
  for (const fs::path& path : folders_in("ROS_PACKAGE_PATH", "")) folders.push_back(path);
  for (const fs::path& path : folders_in("AMENT_PREFIX_PATH", "share")) folders.push_back(path);
  std::error_code error;
  for (fs::path above = fs::weakly_canonical(folder.empty() ? "." : folder, error);; above = above.parent_path()) {
    folders.push_back(above);
    if (above == above.parent_path()) return folders;
  }
}

/// The program beside this one that reads meshes; empty where it was not built.
fs::path mesh_reader() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {here / "armature-mesh-reader", here / "../libexec/armature/armature-mesh-reader"})
    if (is_file(place)) return place;
  return {};
}

bool is_base64(const std::string& text) {
  return text.size() % 4 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
                  c == '=';
         });
}

/// The numbers of `size` bytes, little-endian, of a text in base64.
std::vector<std::size_t> numbers_in(const std::string& text, std::size_t size) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::size_t> bytes, numbers;
  std::size_t held = 0, bits = 0;
  for (const char c : text) {
    const std::size_t value = digits.find(c);
    if (value == std::string_view::npos) break;  // the padding
    held = (held << 6U | value) & 0xFFFFU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(held >> bits & 255U);
    }
  }
  for (std::size_t i = 0; i + size <= bytes.size(); i += size) {
    std::size_t number = 0;
    for (std::size_t k = 0; k < size; ++k) number |= bytes[i + k] << 8U * k;
    numbers.push_back(number);
  }
  return numbers;
}

/// Every triangle belongs to all pieces that it reaches into.
std::vector<std::vector<Vec3<double>>> pieces_of(const SceneMesh& mesh) {
  constexpr int count = 4;
  std::vector<Vec3<double>> corners;  // three a triangle
  for (const SceneMeshPart& part : mesh.parts) {
    const std::vector<std::size_t> steps = numbers_in(part.points, 2);
    for (const std::size_t index : numbers_in(part.triangles, 4)) {
      if (3 * index + 2 >= steps.size()) throw Error("made its reader fail", "");
      Vec3<double>& p = corners.emplace_back();
      for (std::size_t k = 0; k < 3; ++k)
        p[k] = part.low[k] + part.size[k] * static_cast<double>(steps[3 * index + k]) / 65535;
    }
  }
  if (corners.empty()) return {};
  Vec3<double> low = corners[0], high = corners[0];
  for (const Vec3<double>& p : corners) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  Eigen::Index axis = 0;
  const double length = (high - low).maxCoeff(&axis);
  std::vector<std::vector<Vec3<double>>> pieces(count);
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    const auto slice = [&](double x) {
      return std::clamp(static_cast<int>(count * (x - low[axis]) / (length > 0 ? length : 1)), 0, count - 1);
    };
    const double a = corners[i][axis], b = corners[i + 1][axis], c = corners[i + 2][axis];
    for (int k = slice(std::min({a, b, c})); k <= slice(std::max({a, b, c})); ++k)
      for (std::size_t corner = 0; corner < 3; ++corner) pieces[k].push_back(corners[i + corner]);
  }
  std::erase_if(pieces, [](const auto& piece) { return piece.empty(); });
  for (auto& piece : pieces) {  // corners that triangles share
    const auto before = [](const Vec3<double>& p, const Vec3<double>& q) {
      return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
    };
    std::sort(piece.begin(), piece.end(), before);
    piece.erase(std::unique(piece.begin(), piece.end()), piece.end());
  }
  return pieces;
}

/// What the reader prints, or an Error that says why there is nothing.
SceneMesh freshly_read(const fs::path& reader, const fs::path& file, std::size_t triangles) {
  std::error_code error;
  if (fs::file_size(file, error) > largest_mesh) throw Error("is larger than 256 MB", "");
  const ChildOutput output = child_output({reader.string(), fs::absolute(file).string(), std::to_string(triangles)});
  if (!output.ended) throw Error(output.why, "");
  const auto json = nlohmann::json::parse(output.text, nullptr, false);
  if (!json.is_object()) throw Error("made its reader fail", "");
  if (json.contains("error")) throw Error(json.value("error", ""), "");
  try {
    SceneMesh mesh;
    for (const auto& part : json.at("parts")) {
      SceneMeshPart& read = mesh.parts.emplace_back();
      if (part.contains("colour")) read.colour = part.at("colour").get<std::array<double, 4>>();
      read.low = part.at("low").get<std::array<double, 3>>();
      read.size = part.at("size").get<std::array<double, 3>>();
      read.points = part.at("points").get<std::string>();
      read.triangles = part.at("triangles").get<std::string>();
      if (!is_base64(read.points) || !is_base64(read.triangles)) throw Error("made its reader fail", "");
    }
    return mesh;
  } catch (const nlohmann::json::exception&) {
    throw Error("made its reader fail", "");
  }
}

/// The same, once per run of the program: cases of a scenario share their arm.
const SceneMesh& read_mesh(const fs::path& reader, const fs::path& file, std::size_t triangles) {
  static std::map<std::pair<std::string, std::size_t>, SceneMesh> known;
  const auto at = known.find({file.string(), triangles});
  if (at != known.end()) return at->second;
  return known.emplace(std::pair{file.string(), triangles}, freshly_read(reader, file, triangles)).first->second;
}

std::string package_of(const std::string& mesh) {
  for (const char* scheme : {"package://", "model://"})
    if (mesh.starts_with(scheme)) {
      const std::string path = mesh.substr(std::string_view(scheme).size());
      return path.substr(0, path.find('/'));
    }
  return {};
}

/// The meshes of one report, each read once.
class MeshCollector {
 public:
  explicit MeshCollector(std::size_t count) : share_(std::max<std::size_t>(64, page_triangles / count)) {}

  /// Its name on the page; empty where it is not to be had.
  std::string take(const SceneShape& shape, std::vector<SceneMesh>& meshes) {
    const Known& mesh = known(shape, meshes);
    for (std::size_t k = 0; k < 3; ++k)
      if (const double width = mesh.width[k] * std::abs(shape.size[k]); width > widest_mesh) {
        wide_.emplace(fmt::format("{} ({:.3g} m)", printable(shape.mesh), width));
        return {};
      }
    return mesh.name;
  }

  void warn_of_lost() const {
    if (reader_.empty())
      warn(Error("no meshes are drawn: this build of armature cannot read them",
                 "install libassimp-dev and libmeshoptimizer-dev and build it again, or add --no-meshes")
               .what());
    if (!wide_.empty()) {
      const std::vector<std::string> wide(wide_.begin(), wide_.end());
      warn(Error(fmt::format("{} larger than {:g} m: {}", are(wide, wide.size() == 1 ? "is" : "are"), widest_mesh,
                             some(wide)),
                 "capsules stand in; a mesh in millimetres takes <mesh scale=\"0.001 0.001 0.001\" .../>")
               .what());
    }
    if (!unreadable_.empty())
      warn(Error(fmt::format("{} not be read: {}", are(unreadable_, "could"), some(unreadable_)),
                 "capsules stand in; --no-meshes leaves all meshes out")
               .what());
    if (missing_.empty()) return;
    const auto package =
        std::find_if(missing_.begin(), missing_.end(), [](const auto& m) { return !package_of(m).empty(); });
    const std::string where = package == missing_.end()
                                  ? "they are named from the folder of the arm's file"
                                  : fmt::format("`--packages DIR` or ROS_PACKAGE_PATH names the folder that holds '{}'",
                                                printable(package_of(*package)));
    warn(Error(fmt::format("{} not found: {}", are(missing_, missing_.size() == 1 ? "is" : "are"), some(missing_)),
               fmt::format("capsules stand in; {}", where))
             .what());
  }

 private:
  struct Known {
    std::string name;               // empty where it is not to be had
    std::array<double, 3> width{};  // before the shape's factors [m]
  };

  /// Reads it once.
  const Known& known(const SceneShape& shape, std::vector<SceneMesh>& meshes) {
    const auto [place, fresh] = known_.try_emplace({shape.folder, shape.mesh});
    if (!fresh || reader_.empty()) return place->second;
    const auto file = find_mesh(shape.mesh, shape.folder);
    if (!file) {
      missing_.push_back(shape.mesh);
      return place->second;
    }
    try {
      SceneMesh& mesh = meshes.emplace_back(read_mesh(reader_, *file, share_));
      mesh.name = fmt::format("{} {}", meshes.size(), file->filename().string());
      place->second = {mesh.name, width_of(mesh)};
    } catch (const Error& error) {
      unreadable_.push_back(fmt::format("{} ({})", printable(shape.mesh), printable(error.finding())));
    }
    return place->second;
  }

  static std::array<double, 3> width_of(const SceneMesh& mesh) {
    std::array<double, 3> width{};
    for (std::size_t k = 0; k < 3; ++k) {
      double low = INFINITY, high = -INFINITY;
      for (const SceneMeshPart& part : mesh.parts) {
        low = std::min(low, part.low[k]);
        high = std::max(high, part.low[k] + part.size[k]);
      }
      width[k] = std::max(0.0, high - low);
    }
    return width;
  }

  static std::string are(const std::vector<std::string>& list, const char* verb) {
    return list.size() == 1 ? fmt::format("a mesh {}", verb) : fmt::format("{} meshes {}", list.size(), verb);
  }
  static std::string some(const std::vector<std::string>& list) {
    std::string text = printable(list[0]);
    for (std::size_t i = 1; i < std::min<std::size_t>(list.size(), 3); ++i) text += ", " + printable(list[i]);
    return list.size() > 3 ? text + ", ..." : text;
  }

  fs::path reader_ = mesh_reader();
  std::size_t share_;  // of the page's triangles
  std::map<std::pair<std::string, std::string>, Known> known_;
  std::vector<std::string> missing_, unreadable_;
  std::set<std::string> wide_;
};

}  // namespace

void add_mesh_options(Verb& verb) {
  verb.flag("--no-meshes", mesh_choice().none, "draw capsules where a URDF has meshes");
  add_package_option(verb);
}

void add_package_option(Verb& verb) {
  verb.list("--packages", "DIR", mesh_choice().packages,
            "folder that holds the packages of package://name/... in a URDF; may be repeated (default: "
            "ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and the folders above the file)");
}

std::optional<fs::path> find_mesh(const std::string& mesh, const std::string& folder) {
  const std::string package = package_of(mesh);
  if (package.empty()) {
    const fs::path file = fs::path(folder) / mesh;
    return is_file(file) ? std::optional(file) : std::nullopt;
  }
  const fs::path path = mesh.substr(mesh.find("://") + 3);
  for (const fs::path& place : package_folders(folder)) {
    if (is_file(place / path)) return place / path;
    if (place.filename() == package && is_file(place.parent_path() / path)) return place.parent_path() / path;
  }
  const fs::path inside = path.lexically_relative(package);  // a package that was downloaded under another name
  for (const fs::path& root : {fs::path(folder), fs::path(folder) / ".."})
    if (is_file(root / inside)) return root / inside;
  return std::nullopt;
}

std::vector<std::vector<Vec3<double>>> mesh_pieces(const std::string& mesh, const std::string& folder,
                                                   const Vec3<double>& factors) {
  const fs::path reader = mesh_reader();
  const auto file = find_mesh(mesh, folder);
  if (reader.empty() || !file || mesh_choice().none) return {};
  constexpr std::size_t triangles_enough = 4000;
  try {
    auto pieces = pieces_of(read_mesh(reader, *file, triangles_enough));
    Eigen::AlignedBox3d box;
    for (std::vector<Vec3<double>>& piece : pieces)
      for (Vec3<double>& p : piece) box.extend(p = factors.cwiseProduct(p));
    if (!box.isEmpty() && box.sizes().maxCoeff() > widest_mesh) return {};
    return pieces;
  } catch (const Error&) {
    return {};
  }
}

void read_meshes(Report& report) {
  std::set<std::pair<std::string, std::string>> named;
  const auto each_frame = [&](auto&& visit) {
    for (Log& log : report.logs)
      for (SceneFrame& frame : log.scene) visit(frame.shapes);
  };
  const auto is_mesh = [](const SceneShape& shape) { return shape.kind == SceneShape::Kind::mesh; };
  each_frame([&](std::vector<SceneShape>& shapes) {
    if (mesh_choice().none) std::erase_if(shapes, is_mesh);
    for (const SceneShape& shape : shapes)
      if (is_mesh(shape)) named.emplace(shape.folder, shape.mesh);
  });
  if (named.empty()) return;
  MeshCollector collector(named.size());
  each_frame([&](std::vector<SceneShape>& shapes) {
    for (SceneShape& shape : shapes)
      if (is_mesh(shape)) shape.mesh = collector.take(shape, report.meshes);
    std::erase_if(shapes, [&](const SceneShape& shape) { return is_mesh(shape) && shape.mesh.empty(); });
  });
  collector.warn_of_lost();
}

ArmDescription with_meshes_from(ArmDescription arm, const std::string& file, bool keep_packages) {
  if (file == "-") return arm;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file).parent_path(), error);
  const auto move = [&](LinkShapes& shapes) {
    for (std::vector<Shape>* list : {&shapes.visual, &shapes.collision})
      for (Shape& shape : *list) {
        if (shape.kind != Shape::Kind::mesh || (keep_packages && !package_of(shape.mesh).empty())) continue;
        if (const auto found = find_mesh(shape.mesh, shape.folder))
          shape.mesh = fs::weakly_canonical(*found, error).lexically_relative(folder).string();
        shape.folder = folder.string();
      }
  };
  move(arm.base_shapes);
  for (JointDescription& joint : arm.joints) move(joint.link.shapes);
  return arm;
}

std::string arm_yaml_for(const ArmDescription& arm, const std::string& file) {
  return write_arm_yaml(with_meshes_from(arm, file, false));
}

}  // namespace armature::app
