// Everything, for those who prefer one include.
#pragma once

#include "sbdl/context.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/error.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/model.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/observers.hpp"
#include "sbdl/options.hpp"
#include "sbdl/reproduce.hpp"
#include "sbdl/score.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "sbdl/version.hpp"
