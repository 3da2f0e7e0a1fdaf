// A dictionary with random sparse codes, from which an update of atoms can start.
#pragma once

#include "pass/sparse_pass.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

/// A dictionary, random sparse codes of random signs, and the residuals that remain of random signals.
struct CodedState {
    CodedState(const Shape& shape, std::size_t nonzeros, std::uint64_t seed) {
        Numbers numbers(seed);
        D = numbers.normals(shape.M, shape.N);
        D.colwise().normalize();
        Y = numbers.normals(shape.M, shape.L);
        pass.codes.atoms = static_cast<std::size_t>(shape.N);
        for (Eigen::Index l = 0; l < shape.L; ++l) {
            const auto first = static_cast<std::size_t>(numbers.uniform() * double(shape.N));
            for (std::size_t k = 0; k < nonzeros; ++k) {
                pass.codes.atom.push_back(static_cast<std::uint32_t>((first + k) % pass.codes.atoms));
                pass.codes.value.push_back(numbers.normal());
            }
            pass.codes.start.push_back(pass.codes.atom.size());
        }
        pass.residual = Y - D * codes();
    }

    [[nodiscard]] Mat codes() const {
        Mat X = Mat::Zero(D.cols(), Y.cols());
        for (std::size_t l = 0; l < pass.codes.count(); ++l)
            for (std::size_t k = pass.codes.start[l]; k < pass.codes.start[l + 1]; ++k)
                X(pass.codes.atom[k], static_cast<Eigen::Index>(l)) = pass.codes.value[k];
        return X;
    }

    Mat D, Y;
    SparsePass pass;
};

}  // namespace sbdl::test
