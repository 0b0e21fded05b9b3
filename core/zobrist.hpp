// Random keys for incremental hashing: the same in every build and on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plypilot {

/// The n-th number of the SplitMix64 sequence (Steele, Lea and Flood 2014).
constexpr std::uint64_t splitmix64(std::uint64_t n) {
    std::uint64_t z = (n + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// N keys; `stream` keeps the tables of one game apart.
template <std::size_t N>
constexpr std::array<std::uint64_t, N> zobrist_keys(std::uint64_t stream) {
    std::array<std::uint64_t, N> keys{};
    for (std::size_t i = 0; i < N; ++i) keys[i] = splitmix64((stream << 32) + i);
    return keys;
}

}  // namespace plypilot
