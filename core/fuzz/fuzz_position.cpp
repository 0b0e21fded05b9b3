// libFuzzer target of one game's parsers (GAME is its name): a position string on the first line, a move text on the
// second. Whatever is accepted must print and parse again to itself, and stand up to the moves it lists.
#include <cstdlib>
#include <string_view>

#include "registry.hpp"

using namespace plypilot;

namespace {

void expect(bool promise) {
    if (!promise) std::abort();
}

void check(AnyPosition& position, const AnyGame& game, std::string_view text) {
    const std::string fen = position.fen();
    const auto again = game.from_fen(fen);
    expect(again->fen() == fen && again->key() == position.key());
    expect(!position.draw().empty());
    if (const auto move = position.parse_move(text)) expect(position.is_legal(*move));

    MoveList list;
    position.generate(list);
    expect(position.count_moves() == list.size());
    for (Move move : list) {
        position.move_features(move);
        expect(position.parse_move(position.move_text(move)) == move);
        expect(position.try_push(move));
        // A finished game's position string may be one that play cannot start from; all others must be accepted.
        if (!position.outcome()) expect(game.from_fen(position.fen())->key() == position.key());
        position.pop();
    }
    for (std::size_t set = 0; set < position.info().feature_sets.size(); ++set)
        position.features(static_cast<int>(set));
    expect(position.fen() == fen);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const AnyGame& game = *find_game(GAME);
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = input.find('\n');
    try {
        const auto position = game.from_fen(input.substr(0, end));
        check(*position, game, end == input.npos ? "" : input.substr(end + 1));
    } catch (const PositionError&) {
        return 0;
    }
    return 0;
}
