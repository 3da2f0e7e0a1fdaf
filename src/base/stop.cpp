#include "base/stop.hpp"

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

thread_local StopScope* current_scope = nullptr;

}  // namespace

StopScope::StopScope(const std::function<bool()>& stop) : stop_(stop), before_(current_scope) {
    if (stop) current_scope = this;
}

StopScope::~StopScope() {
    current_scope = before_;
}

bool StopScope::requested() {
    if (!requested_ && maker_ == std::this_thread::get_id() && stop_()) requested_ = true;
    return requested_;
}

bool stop_requested() {
    return current_scope != nullptr && current_scope->requested();
}

void look_for_stop() {
    if (stop_requested()) throw Stopped();
}

StopScope* stop_scope() {
    return current_scope;
}

WorksUnder::WorksUnder(StopScope* scope) : before_(current_scope) {
    current_scope = scope;
}

WorksUnder::~WorksUnder() {
    current_scope = before_;
}

}  // namespace sbdl
