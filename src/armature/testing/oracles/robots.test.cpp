// Robots as their makers publish them: each is read at the first try or at the one its hint names, and is then the same machine to
// Orocos KDL, from a tree that is built here out of the same file by another reader of XML, and to MuJoCo where it takes the file.
#include <tinyxml2.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <filesystem>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <map>
#include <sstream>
#ifdef ARMATURE_HAS_MUJOCO
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#endif

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;
namespace fs = std::filesystem;

namespace {

constexpr double tolerance = 1e-9;

const fs::path robots_folder = fs::path(source_folder) / ".." / "shared" / "robots";

std::vector<fs::path> robot_files() {
  std::vector<fs::path> files;
  if (!fs::exists(robots_folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(robots_folder))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// ---- a URDF as a tree of KDL, straight from the XML ----

KDL::Vector vector_of(const tinyxml2::XMLElement* element, const char* attribute, const KDL::Vector& otherwise) {
  const char* text = element ? element->Attribute(attribute) : nullptr;
  if (!text) return otherwise;
  std::istringstream in(text);
  double x = 0, y = 0, z = 0;
  in >> x >> y >> z;
  return {x, y, z};
}

KDL::Frame frame_of(const tinyxml2::XMLElement* origin) {
  const KDL::Vector xyz = vector_of(origin, "xyz", KDL::Vector::Zero());
  const KDL::Vector rpy = vector_of(origin, "rpy", KDL::Vector::Zero());
  return {KDL::Rotation::RPY(rpy.x(), rpy.y(), rpy.z()), xyz};
}

KDL::RigidBodyInertia inertia_of_link(const tinyxml2::XMLElement* link) {
  const tinyxml2::XMLElement* inertial = link->FirstChildElement("inertial");
  if (!inertial) return KDL::RigidBodyInertia::Zero();
  const KDL::Frame origin = frame_of(inertial->FirstChildElement("origin"));
  const tinyxml2::XMLElement* mass = inertial->FirstChildElement("mass");
  const tinyxml2::XMLElement* I = inertial->FirstChildElement("inertia");
  KDL::RotationalInertia about_com;
  if (I)
    about_com = KDL::RotationalInertia(I->DoubleAttribute("ixx"), I->DoubleAttribute("iyy"), I->DoubleAttribute("izz"),
                                       I->DoubleAttribute("ixy"), I->DoubleAttribute("ixz"), I->DoubleAttribute("iyz"));
  const KDL::RigidBodyInertia turned = origin.M * KDL::RigidBodyInertia(0, KDL::Vector::Zero(), about_com);
  return KDL::RigidBodyInertia(mass ? mass->DoubleAttribute("value") : 0, origin.p, turned.getRotationalInertia());
}

/// Joints without one coordinate of their own are fixed.
KDL::Joint joint_of(const tinyxml2::XMLElement* joint, const KDL::Frame& origin) {
  const std::string type = joint->Attribute("type"), name = joint->Attribute("name");
  const KDL::Vector axis = vector_of(joint->FirstChildElement("axis"), "xyz", KDL::Vector(1, 0, 0));
  if (type == "revolute" || type == "continuous") return {name, origin.p, origin.M * axis, KDL::Joint::RotAxis};
  if (type == "prismatic") return {name, origin.p, origin.M * axis, KDL::Joint::TransAxis};
  return KDL::Joint(name, KDL::Joint::Fixed);
}

KDL::Tree kdl_tree(const fs::path& file) {
  tinyxml2::XMLDocument document;
  REQUIRE(document.LoadFile(file.c_str()) == tinyxml2::XML_SUCCESS);
  const tinyxml2::XMLElement* robot = document.RootElement();
  std::map<std::string, const tinyxml2::XMLElement*> links, parents;
  for (const auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link"))
    links[link->Attribute("name")] = link;
  std::multimap<std::string, const tinyxml2::XMLElement*> joints;  // by parent
  for (const auto* joint = robot->FirstChildElement("joint"); joint; joint = joint->NextSiblingElement("joint")) {
    joints.emplace(joint->FirstChildElement("parent")->Attribute("link"), joint);
    parents[joint->FirstChildElement("child")->Attribute("link")] = joint;
  }
  std::string root;
  for (const auto& [name, link] : links)
    if (!parents.count(name)) root = name;
  KDL::Tree tree(root);
  std::vector<std::string> open{root};
  while (!open.empty()) {
    const std::string parent = open.back();
    open.pop_back();
    const auto [begin, end] = joints.equal_range(parent);
    for (auto j = begin; j != end; ++j) {
      const std::string child = j->second->FirstChildElement("child")->Attribute("link");
      const KDL::Frame origin = frame_of(j->second->FirstChildElement("origin"));
      tree.addSegment(KDL::Segment(child, joint_of(j->second, origin), origin, inertia_of_link(links.at(child))),
                      parent);
      open.push_back(child);
    }
  }
  return tree;
}

// ---- the arm that the program reads ----

/// The `--tip` of each command that the hint of an error lists.
std::vector<std::string> tips_of(const std::string& hint) {
  std::vector<std::string> tips;
  std::istringstream lines(hint);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t i = line.find(" --tip "); line.find("armature show ") != std::string::npos) {
      REQUIRE(i != std::string::npos);
      tips.push_back(line.substr(i + 7));
    }
  return tips;
}

/// The arms of a file: itself, or one a limb.
std::vector<Arm> arms_of(const std::string& file) {
  std::vector<ArmChoice> choices;
  try {
    load_arm(file, {.as_given = true});
    choices.push_back({.as_given = true});
  } catch (const FormatError& error) {
    for (const std::string& tip : tips_of(error.hint())) choices.push_back({.tip = tip, .as_given = true});
    REQUIRE_MESSAGE(choices.size() > 1, error.what());
  }
  std::vector<Arm> arms;
  for (const ArmChoice& choice : choices) arms.push_back(load_arm(file, choice).arm);
  return arms;
}

void compare(const Arm& arm, const KDL::Tree& tree, Random& random) {
  const int n = arm.dof();
  const auto count = tree.getNrOfJoints();
  std::vector<unsigned> number;  // of our joints in the tree
  for (int i = 0; i < n; ++i) {
    const auto segment = tree.getSegment(arm.joint(i).link.name);
    REQUIRE(segment != tree.getSegments().end());
    number.push_back(segment->second.q_nr);
  }
  const Vec3<double>& g = arm.gravity();
  KDL::TreeIdSolver_RNE pulled(tree, {g[0], g[1], g[2]}), weightless(tree, KDL::Vector::Zero());
  KDL::Chain chain;  // its own solver: that of the tree copies the tree, which numbers the joints anew
  REQUIRE(tree.getChain(tree.getRootSegment()->first, arm.frames().back().name, chain));
  REQUIRE(chain.getNrOfJoints() == static_cast<unsigned>(n));
  KDL::ChainFkSolverPos_recursive poses(chain);
  const std::map<std::string, KDL::Wrench> no_wrench;
  const auto on_tree = [&](const VecX<double>& x) {  // what is not of the arm stands at zero
    KDL::JntArray all(count);
    for (int i = 0; i < n; ++i) all(number[i]) = x[i];
    return all;
  };
  const auto torques = [&](KDL::TreeIdSolver_RNE& solver, const VecX<double>& q, const VecX<double>& v,
                           const VecX<double>& a) {
    KDL::JntArray all(count);
    REQUIRE(solver.CartToJnt(on_tree(q), on_tree(v), on_tree(a), no_wrench, all) == 0);
    VecX<double> tau(n);
    for (int i = 0; i < n; ++i) tau[i] = all(number[i]);
    return tau;
  };
  for (int state = 0; state < 5; ++state) {
    const VecX<double> q = random_vector(n, random, 2), v = random_vector(n, random, 2),
                       a = random_vector(n, random, 2);
    KDL::Frame tip;
    KDL::JntArray positions(static_cast<unsigned>(n));
    for (int i = 0; i < n; ++i) positions(static_cast<unsigned>(i)) = q[i];
    REQUIRE(poses.JntToCart(positions, tip) == 0);
    const Pose<double> tool = tool_pose(arm, forward_kinematics<double>(arm, q));
    CHECK((tool.p - Vec3<double>(tip.p.x(), tip.p.y(), tip.p.z())).norm() < tolerance);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) CHECK(std::abs(tool.R(r, c) - tip.M(r, c)) < tolerance);
    CHECK(relative_error(inverse_dynamics<double>(arm, q, v, a), torques(pulled, q, v, a)) < tolerance);
    MatX<double> M(n, n);
    for (int i = 0; i < n; ++i) M.col(i) = torques(weightless, q, VecX<double>::Zero(n), VecX<double>::Unit(n, i));
    CHECK(relative_error(mass_matrix<double>(arm, q), M) < tolerance);
  }
}

#ifdef ARMATURE_HAS_MUJOCO

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// MuJoCo's compiler keeps seven digits of the inertia that it makes of a file; here are all of them, straight from the XML.
void restore_inertia(const tinyxml2::XMLElement* robot, mjModel& model) {
  for (auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    const tinyxml2::XMLElement* inertial = link->FirstChildElement("inertial");
    const tinyxml2::XMLElement* I = inertial ? inertial->FirstChildElement("inertia") : nullptr;
    const int body = mj_name2id(&model, mjOBJ_BODY, link->Attribute("name"));
    if (!I || body < 0) continue;  // the root is the world
    const KDL::Frame origin = frame_of(inertial->FirstChildElement("origin"));
    Mat3<double> tensor, turn;
    const auto at = [&](const char* name) { return I->DoubleAttribute(name); };
    tensor << at("ixx"), at("ixy"), at("ixz"), at("ixy"), at("iyy"), at("iyz"), at("ixz"), at("iyz"), at("izz");
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) turn(r, c) = origin.M(r, c);
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(turn * tensor * turn.transpose());
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) *= -1;
    Eigen::Map<Vec3<double>>(model.body_inertia + 3 * body) = solver.eigenvalues();
    mju_mat2Quat(model.body_iquat + 4 * body, axes.data());
    model.body_sameframe[body] = 0;  // it may have been compiled as "not turned"
  }
}

/// The file without its shapes, whose meshes are not all there; null where MuJoCo does not take it, with its reason.
std::unique_ptr<mjModel, FreeModel> mujoco_tree(const fs::path& file, std::string& reason) {
  tinyxml2::XMLDocument document;
  REQUIRE(document.LoadFile(file.c_str()) == tinyxml2::XML_SUCCESS);
  for (auto* link = document.RootElement()->FirstChildElement("link"); link; link = link->NextSiblingElement("link"))
    for (const char* looks : {"visual", "collision"})
      while (auto* shape = link->FirstChildElement(looks)) link->DeleteChild(shape);
  auto* compiler = document.RootElement()->InsertNewChildElement("mujoco")->InsertNewChildElement("compiler");
  compiler->SetAttribute("fusestatic", "false");  // a body for every link
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  const std::string text = printer.CStr();
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.urdf", static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "robot.urdf")], text.data(), text.size());
  char complaint[500] = "";
  std::unique_ptr<mjModel, FreeModel> model(mj_loadXML("robot.urdf", files.get(), complaint, sizeof complaint));
  mj_deleteVFS(files.get());
  reason = complaint;
  if (model) restore_inertia(document.RootElement(), *model);
  return model;
}

void compare(const Arm& arm, mjModel& model, Random& random) {
  const int n = arm.dof();
  std::vector<int> number;  // of our joints in the model, all of which have one coordinate
  for (int i = 0; i < n; ++i) {
    const int id = mj_name2id(&model, mjOBJ_JOINT, arm.joint(i).name.c_str());
    REQUIRE(id >= 0);
    number.push_back(model.jnt_dofadr[id]);
  }
  REQUIRE(model.nq == model.nv);
  Eigen::Map<Vec3<double>>(model.opt.gravity) = arm.gravity();
  const std::unique_ptr<mjData, FreeModel> data(mj_makeData(&model));
  for (int state = 0; state < 3; ++state) {
    const VecX<double> q = random_vector(n, random, 2), v = random_vector(n, random, 2),
                       a = random_vector(n, random, 2);
    for (double* all : {data->qpos, data->qvel, data->qacc}) std::fill(all, all + model.nv, 0.0);
    for (int i = 0; i < n; ++i) {
      const int k = number[i];
      data->qpos[k] = q[i];
      data->qvel[k] = v[i];
      data->qacc[k] = a[i];
    }
    mj_kinematics(&model, data.get());
    mj_comPos(&model, data.get());
    mj_crb(&model, data.get());
    mj_comVel(&model, data.get());
    std::vector<double> tau(static_cast<std::size_t>(model.nv));
    mj_rne(&model, data.get(), 1, tau.data());
    Eigen::MatrixXd all(model.nv, model.nv);
    mj_fullM(&model, all.data(), data->qM);
    VecX<double> torques(n);
    MatX<double> M(n, n);
    for (int i = 0; i < n; ++i) {
      torques[i] = tau[number[i]];
      for (int j = 0; j < n; ++j) M(i, j) = all(number[i], number[j]);
    }
    CHECK(relative_error(inverse_dynamics<double>(arm, q, v, a), torques) < tolerance);
    CHECK(relative_error(mass_matrix<double>(arm, q), M) < tolerance);
  }
}

#endif

}  // namespace

#ifdef ARMATURE_HAS_MUJOCO
TEST_CASE("every robot of a maker that MuJoCo takes is the same machine to it") {
  const std::vector<fs::path> files = robot_files();
  if (files.empty()) MESSAGE("skipped: ../shared/robots is absent");
  Random random(17);
  int compared = 0;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    CAPTURE(name);
    std::string reason;
    const auto model = mujoco_tree(file, reason);
    if (!model) {
      MESSAGE("MuJoCo refuses " << name << ": " << reason);
      continue;
    }
    for (const Arm& arm : arms_of(file.string())) compare(arm, *model, random);
    ++compared;
  }
  CHECK((files.empty() || compared >= 6));
}
#endif

TEST_CASE("every robot of a maker is read, and is the same machine to KDL") {
  const std::vector<fs::path> files = robot_files();
  if (files.empty()) MESSAGE("skipped: ../shared/robots is absent");
  Random random(15);
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    CAPTURE(name);
    const KDL::Tree tree = kdl_tree(file);
    for (const Arm& arm : arms_of(file.string())) {
      const std::string source = arm.description().source;
      CAPTURE(source);
      compare(arm, tree, random);
    }
  }
}

TEST_CASE("joints that are locked are where KDL has them") {
  const fs::path file = robots_folder / "example-robot-data/robots/baxter_description/urdf/baxter.urdf";
  if (!fs::exists(file)) {
    MESSAGE("skipped: ../shared/robots is absent");
    return;
  }
  const Arm free = load_arm(file.string(), {.tip = "left_gripper"}).arm;
  const Arm locked = load_arm(file.string(), {.tip = "left_gripper", .lock = {{"left_e1", "70 deg"}}}).arm;
  REQUIRE(free.dof() == 7);
  REQUIRE(locked.dof() == 6);
  Random random(16);
  const VecX<double> q = random_vector(6, random, 1), v = random_vector(6, random, 1), a = random_vector(6, random, 1);
  const auto with_elbow = [](const VecX<double>& x, double elbow) {
    VecX<double> all(7);
    all << x.head(3), elbow, x.tail(3);
    return all;
  };
  const VecX<double> tau = inverse_dynamics<double>(free, with_elbow(q, 70 * deg), with_elbow(v, 0), with_elbow(a, 0));
  VecX<double> rest(6);
  rest << tau.head(3), tau.tail(3);
  CHECK(relative_error(inverse_dynamics<double>(locked, q, v, a), rest) < 1e-12);
}
