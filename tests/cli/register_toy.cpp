// Linked into the program, this adds the toy method to its list.
#include "support/toy_method.hpp"

namespace sbdl::test {
namespace {

const struct Registration {
    Registration() { register_method(toy_method); }
} registration;

}  // namespace
}  // namespace sbdl::test
