// The built-in arms, for the tests of rooms below formats.
#pragma once

#include "armature/formats/catalogue.hpp"
