// Text from files and their names, made safe for terminals, pages and messages.
#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/markup.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

TEST(Printable, WhatCanBeShownStays) {
    for (const char* const text : {"", "plain text", "Grüße, 辞書, \xf0\x9f\x98\x80", "back\\slash 'quoted' \"twice\"",
                                   "\\x1b is printable already", "\xc2\xa0 no break, \xe2\x80\x8e mark"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
    EXPECT_EQ(printable("\x1b[2J\a"), "\\x1b[2J\\x07");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\x7f"), "\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "the same as escape and [ on some terminals";
    EXPECT_EQ(printable("\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa6"), "\\xe2\\x80\\xa8|\\xe2\\x80\\xae|\\xe2\\x81\\xa6");
    EXPECT_EQ(printable("a\tb\nc\rd"), "a\\x09b\\x0ac\\x0dd");
    EXPECT_EQ(printable("a\tb\nc\rd", Lines::kept), "a\tb\nc\\x0dd");
}

TEST(Printable, WhatIsNotUtf8IsEscapedByteByByte) {
    for (const auto& [bytes, shown] :
         {std::pair{"\xff", "\\xff"}, std::pair{"a\x80z", "a\\x80z"}, std::pair{"\xc3", "\\xc3"},
          std::pair{"\xc3(", "\\xc3("}, std::pair{"\xe8\xbe", "\\xe8\\xbe"},
          std::pair{"\xc0\xaf", "\\xc0\\xaf"},                    // not the shortest form
          std::pair{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},           // nor this
          std::pair{"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},  // nor this
          std::pair{"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
          std::pair{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond U+10FFFF
          std::pair{"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"}})
        EXPECT_EQ(printable(bytes), shown);
    EXPECT_EQ(printable("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"), "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(Printable, TwiceIsOnce) {
    for (const char* const text : {"\x1b[31m\xff", "a\nb", "\\xff"})
        EXPECT_EQ(printable(printable(text)), printable(text));
}

TEST(Printable, ErrorsAreLinesOfText) {
    EXPECT_STREQ(FileError("\xff.npy: bad \x1b]0;title\a\n").what(), "\\xff.npy: bad \\x1b]0;title\\x07\\x0a");
    EXPECT_STREQ(InputError("Grüße.npy: bad").what(), "Grüße.npy: bad");
}

TEST(Printable, MarkupIsUtf8WithoutControlCharacters) {
    EXPECT_EQ(escaped("<b>\xff\x01 & \"two\"\nlines"), "&lt;b&gt;\\xff\\x01 &amp; &quot;two&quot;\nlines");
}

}  // namespace
}  // namespace sbdl
