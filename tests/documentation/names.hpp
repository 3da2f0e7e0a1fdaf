// Names that examples of the pages and of the headers use without making them.
#pragma once

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <sbdl/sbdl.hpp>

struct MatrixWriter {
    void append(sbdl::MatrixView rows);
};

extern const std::unique_ptr<sbdl::SignalSource> signals;
extern const sbdl::SignalSource& source;
extern const sbdl::Matrix rows;
extern const sbdl::GibbsOptions options;
extern const sbdl::TrainResult result;
extern const sbdl::Model model;
extern const sbdl::Image noisy;
extern const sbdl::Image clean;
extern MatrixWriter writer;
