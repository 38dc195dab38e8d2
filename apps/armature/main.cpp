// armature: from a robot arm's description to everything that can be computed about it.
#include "armature/armature.h"

int main(int argc, char** argv) { return armature_main(argc, argv); }
