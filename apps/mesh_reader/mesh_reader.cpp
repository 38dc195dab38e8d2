// armature-mesh-reader FILE TRIANGLES: the mesh of an STL, DAE or OBJ file with at most about so many triangles, as JSON on the
// standard output: {"parts": [{"colour": [r, g, b, a], "low": [...], "size": [...], "points": "base64", "triangles": "base64"}]} as
// armature/record/report.hpp says, or {"error": "why not"}. Called by armature in a process with limits of time and memory.
#include <fmt/format.h>
#include <meshoptimizer.h>

#include <assimp/DefaultIOSystem.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Colour = std::array<float, 4>;
using Point = std::array<float, 3>;
constexpr std::size_t most_triangles = 5'000'000;  // that are worth a look
constexpr float invisible = 2e-3F;                 // an error of this share of the mesh's size is not seen

std::string ending_of(const std::string& path) {
  std::string ending = path.substr(std::min(path.rfind('.'), path.size()));
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

/// Opens the mesh and the colours of an OBJ file beside it, nothing else.
class OneFile : public Assimp::DefaultIOSystem {
 public:
  explicit OneFile(std::string path) : path_(std::move(path)) {}
  bool Exists(const char* file) const override { return allowed(file) && DefaultIOSystem::Exists(file); }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    return allowed(file) && mode != nullptr && mode[0] == 'r' ? DefaultIOSystem::Open(file, mode) : nullptr;
  }

 private:
  [[nodiscard]] bool allowed(const std::string& file) const {
    if (file == path_) return true;
    const std::string folder = path_.substr(0, path_.rfind('/') + 1);
    return ending_of(file) == ".mtl" && file.starts_with(folder) && file.find('/', folder.size()) == std::string::npos;
  }
  std::string path_;
};

struct Part {
  std::vector<Point> points;
  std::vector<unsigned> triangles;
};

/// All of the scene's triangles by colour; a colour of zeros: none is given.
std::map<Colour, Part> parts_of(const aiScene& scene, bool coloured) {
  std::map<Colour, Part> parts;
  std::size_t triangles = 0;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[m];
    Colour colour{};
    if (coloured && mesh.mMaterialIndex < scene.mNumMaterials) {
      const aiMaterial& material = *scene.mMaterials[mesh.mMaterialIndex];
      aiString name;
      material.Get(AI_MATKEY_NAME, name);
      aiColor4D diffuse;
      const bool plain =
          material.GetTextureCount(aiTextureType_DIFFUSE) == 0 && std::string(name.C_Str()) != AI_DEFAULT_MATERIAL_NAME;
      if (plain && material.Get(AI_MATKEY_COLOR_DIFFUSE, diffuse) == AI_SUCCESS)
        colour = {std::clamp(diffuse.r, 0.F, 1.F), std::clamp(diffuse.g, 0.F, 1.F), std::clamp(diffuse.b, 0.F, 1.F),
                  1.F};  // opacities of exporters mean one thing and its contrary
    }
    Part& part = parts[colour];
    const auto first = static_cast<unsigned>(part.points.size());
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D& p = mesh.mVertices[v];
      if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
        throw std::runtime_error("a point of it is not finite");
      part.points.push_back({p.x, p.y, p.z});
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices != 3) continue;
      for (unsigned k = 0; k < 3; ++k) {
        if (face.mIndices[k] >= mesh.mNumVertices) throw std::runtime_error("a triangle of it has no corner");
        part.triangles.push_back(first + face.mIndices[k]);
      }
      if (++triangles > most_triangles) throw std::runtime_error("it has more than 5 million triangles");
    }
  }
  std::erase_if(parts, [](const auto& part) { return part.second.triangles.empty(); });
  if (parts.empty()) throw std::runtime_error("it has no triangles");
  return parts;
}

/// Points that are equal become one, and those that no triangle has go.
void weld(Part& part) {
  std::vector<unsigned> remap(part.points.size());
  const std::size_t count = meshopt_generateVertexRemap(remap.data(), part.triangles.data(), part.triangles.size(),
                                                        part.points.data(), part.points.size(), sizeof(Point));
  std::vector<Point> points(count);
  meshopt_remapVertexBuffer(points.data(), part.points.data(), part.points.size(), sizeof(Point), remap.data());
  meshopt_remapIndexBuffer(part.triangles.data(), part.triangles.data(), part.triangles.size(), remap.data());
  part.points = std::move(points);
}

/// Without detail that nobody sees, then without as much more as it takes.
void simplify(Part& part, std::size_t target) {
  const auto simpler = [&](auto&& method, std::size_t indices, float error) {
    std::vector<unsigned> fewer(part.triangles.size());
    fewer.resize(method(fewer.data(), part.triangles.data(), part.triangles.size(), part.points[0].data(),
                        part.points.size(), sizeof(Point), indices, error));
    if (!fewer.empty()) part.triangles = std::move(fewer);
  };
  const auto exact = [](auto... of) { return meshopt_simplify(of..., 0U, nullptr); };
  const auto sloppy = [](auto... of) { return meshopt_simplifySloppy(of..., nullptr); };
  simpler(exact, 0, invisible);
  if (part.triangles.size() > 3 * target) simpler(exact, 3 * target, 1);
  if (part.triangles.size() > 4 * target) simpler(sloppy, 3 * target, 1);  // what is full of holes and loose pieces
  weld(part);
}

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const unsigned word = static_cast<unsigned>(bytes[i]) << 16U |
                          (left > 1 ? static_cast<unsigned>(bytes[i + 1]) << 8U : 0U) | (left > 2 ? bytes[i + 2] : 0U);
    text += digits[word >> 18U & 63U];
    text += digits[word >> 12U & 63U];
    text += left > 1 ? digits[word >> 6U & 63U] : '=';
    text += left > 2 ? digits[word & 63U] : '=';
  }
  return text;
}

std::string json_of(const Colour& colour, const Part& part) {
  Point low = part.points[0], high = low;
  for (const Point& p : part.points)
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  std::vector<unsigned char> points, triangles;
  for (const Point& p : part.points)
    for (std::size_t k = 0; k < 3; ++k) {
      const float side = high[k] - low[k];
      const auto step = static_cast<unsigned>(side > 0 ? std::lround((p[k] - low[k]) / side * 65535.F) : 0);
      points.push_back(static_cast<unsigned char>(step));
      points.push_back(static_cast<unsigned char>(step >> 8U));
    }
  for (const unsigned index : part.triangles)
    for (unsigned byte = 0; byte < 4; ++byte) triangles.push_back(static_cast<unsigned char>(index >> 8U * byte));
  std::string text = "{";
  if (colour != Colour{})
    text += fmt::format("\"colour\":[{:.4g},{:.4g},{:.4g},{:.4g}],", colour[0], colour[1], colour[2], colour[3]);
  return text + fmt::format("\"low\":[{},{},{}],\"size\":[{},{},{}],\"points\":\"{}\",\"triangles\":\"{}\"}}", low[0],
                            low[1], low[2], high[0] - low[0], high[1] - low[1], high[2] - low[2], base64(points),
                            base64(triangles));
}

std::string read(const std::string& path, std::size_t target) {
  const std::string ending = ending_of(path);
  if (ending != ".stl" && ending != ".dae" && ending != ".obj")
    throw std::runtime_error("meshes are STL, DAE or OBJ files");
  Assimp::Importer importer;
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const std::string endings = importer.GetImporterInfo(i)->mFileExtensions;
    if (endings.find(ending.substr(1)) == std::string::npos) importer.UnregisterLoader(importer.GetImporter(i));
  }
  importer.SetIOHandler(new OneFile(path));                                      // the importer deletes it
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);  // as URDF's other readers do
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS,
                              aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS | aiComponent_COLORS |
                                  aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                  aiComponent_TEXTURES | aiComponent_LIGHTS | aiComponent_CAMERAS);
  const aiScene* scene =
      importer.ReadFile(path, aiProcess_RemoveComponent | aiProcess_Triangulate | aiProcess_SortByPType |
                                  aiProcess_PreTransformVertices | aiProcess_FindInvalidData);
  if (scene == nullptr) throw std::runtime_error(importer.GetErrorString());
  std::map<Colour, Part> parts = parts_of(*scene, ending != ".stl");
  std::size_t all = 0;
  for (auto& [colour, part] : parts) {
    weld(part);
    all += part.triangles.size();
  }
  std::string text;
  for (auto& [colour, part] : parts) {
    const double share = static_cast<double>(part.triangles.size()) / static_cast<double>(all);
    simplify(part, static_cast<std::size_t>(std::ceil(share * static_cast<double>(target))));
    text += (text.empty() ? "" : ",") + json_of(colour, part);
  }
  return "{\"parts\":[" + text + "]}";
}

/// As a string of JSON, of plain characters only.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 300)) out += c >= ' ' && c < 127 && c != '"' && c != '\\' ? c : '?';
  return '"' + out + '"';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: armature-mesh-reader FILE TRIANGLES");
    const long target = std::strtol(argv[2], nullptr, 10);
    if (target < 1) throw std::runtime_error("the number of triangles is not positive");
    std::puts(read(argv[1], static_cast<std::size_t>(target)).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::puts(fmt::format("{{\"error\":{}}}", quoted(error.what())).c_str());
    return 2;
  }
}
