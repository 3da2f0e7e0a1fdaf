// A painted table with flowers and fruit in front of a wall: what make_image samples.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "synth/scene_objects.hpp"

namespace sbdl::scene {

class StillLife {
public:
    explicit StillLife(std::uint64_t seed);
    [[nodiscard]] Colour at(Point p) const;

private:
    template <class T, class... Arguments>
    void put(Arguments&&... arguments) {
        things_.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    }
    void put_bouquet();
    void put_vase(Point top);
    void put_basket();
    void put_box_and_ball();
    void put_ruler();
    void put_chart();
    void put_framed_landscape();
    void put_curtain();
    void put_cloth();
    void put_table();
    void put_wall();

    /// How much light reaches a place on the table.
    [[nodiscard]] double light_on_table(Point p) const;

    struct Shadow {
        Point middle;
        double width, height;
    };

    std::uint64_t seed_;
    Noise noise_, fine_noise_;
    double table_edge_, table_slope_;
    std::vector<Shadow> shadows_;
    std::vector<std::unique_ptr<Thing>> things_;  // from front to back
};

}  // namespace sbdl::scene
