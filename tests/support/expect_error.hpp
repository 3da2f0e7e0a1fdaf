// Checks that a call throws an error of a given type whose message names what it should.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace sbdl::test {

template <class Expected, class Call>
void expect_error(const Call& call, std::initializer_list<std::string_view> words) {
    try {
        call();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Expected& error) {
        const std::string message = error.what();
        for (const std::string_view word : words) {
            EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
        }
    }
}

}  // namespace sbdl::test
