// The signature of the search: what fixed searches of every game find and spend, for each window kind with each
// technique alone, and with the selective techniques in all their combinations. It is the same under every compiler. A
// change of behaviour changes it: then look why, and renew the tables below (run the native tests with
// PLYPILOT_SIGNATURE=print).
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "registry.hpp"

using namespace plypilot;

namespace {

struct SignedGame {
    std::string_view name;
    int depth;
};
constexpr std::array<SignedGame, 4> signed_games = {{{"breakthrough", 4}, {"chess", 4}, {"loa", 4}, {"shogi", 4}}};
constexpr std::array<std::pair<std::string_view, Window>, 3> windows = {
    {{"alpha_beta", Window::alpha_beta}, {"pvs", Window::pvs}, {"mtdf", Window::mtdf}}};

struct Technique {
    std::string_view name;
    std::function<void(SearchSettings&, const GameInfo&)> switch_on;
};

/// A category for every third feature of a game, three quarters of a ply or five quarters each.
void add_categories(SearchSettings& settings, const GameInfo& info) {
    for (std::size_t bit = 0; bit < info.move_features.size(); bit += 3)
        settings.depth.categories.push_back({FeatureMask{1} << bit, bit % 2 ? ply_units * 5 / 4 : ply_units * 3 / 4});
}

const std::vector<Technique>& selective_techniques() {
    static const std::vector<Technique> techniques = {
        {"null move", [](auto& s, auto&) { s.pruning.null_reduction = 2; }},
        {"futility", [](auto& s, auto&) { s.pruning.futility_margin = 100; }},
        {"late moves", [](auto& s, auto&) { s.pruning.late_moves = 4; }},
        {"late reductions", [](auto& s, auto&) { s.depth.reduce_late = true; }},
        {"categories", add_categories},
        {"quiescence margin",
         [](auto& s, auto&) {
             s.quiescence.exchange_filter = true;
             s.quiescence.margin = 150;
         }},
    };
    return techniques;
}

/// What guards pruning and reductions, which are on beside them.
const std::vector<Technique>& guards() {
    static const std::vector<Technique> techniques = {
        {"first moves", [](auto& s, auto&) { s.pruning.first_moves = 4; }},
        {"tactical", [](auto& s, auto&) { s.pruning.tactical = true; }},
        {"in check", [](auto& s, auto&) { s.pruning.in_check = true; }},
    };
    return techniques;
}

/// What follows some lines further.
const std::vector<Technique>& extensions() {
    static const std::vector<Technique> techniques = {
        {"evasions", [](auto& s, auto&) { s.depth.evasion_units = ply_units / 2; }},
        {"mate threat", [](auto& s, auto&) { s.depth.mate_threat_units = ply_units / 2; }},
        {"singular", [](auto& s, auto&) { s.depth.singular = 1; }},
        {"recapture", [](auto& s, auto&) { s.depth.recapture = true; }},
    };
    return techniques;
}

const std::vector<Technique>& other_techniques() {
    static const std::vector<Technique> techniques = {
        {"nothing", [](auto&, auto&) {}},
        {"no table", [](auto& s, auto&) { s.table.log2_entries = 0; }},
        {"two-level table", [](auto& s, auto&) { s.table.two_level = true; }},
        {"exact table", [](auto& s, auto&) { s.table.exact = true; }},
        {"no quiescence", [](auto& s, auto&) { s.quiescence.on = false; }},
        {"blind horizon",
         [](auto& s, auto&) {
             s.quiescence.on = false;
             s.ends_at_horizon = false;
         }},
        {"quiescence plies", [](auto& s, auto&) { s.quiescence.most_plies = 2; }},
        {"evasions", [](auto& s, auto&) { s.quiescence.evasions = true; }},
        {"ends in quiescence", [](auto& s, auto&) { s.quiescence.ends = true; }},
        {"captures as generated", [](auto& s, auto&) { s.ordering.exchange = false; }},
        {"killers", [](auto& s, auto&) { s.ordering.killers = 2; }},
        {"history", [](auto& s, auto&) { s.ordering.history = true; }},
        {"countermove", [](auto& s, auto&) { s.ordering.countermove = true; }},
        {"shuffle", [](auto& s, auto&) { s.ordering.shuffle = true; }},
        {"internal deepening", [](auto& s, auto&) { s.ordering.internal_deepening = 1; }},
        {"first category",
         [](auto& s, auto& info) {
             add_categories(s, info);
             s.depth.rule = DepthSettings::Rule::first;
         }},
        {"evasion units", [](auto& s, auto&) { s.depth.evasion_units = ply_units / 2; }},
        {"check extension", [](auto& s, auto&) { s.depth.evasion_units = 0; }},
        {"mate threat",
         [](auto& s, auto&) {
             s.pruning.null_reduction = 2;
             s.depth.mate_threat_units = ply_units / 2;
         }},
        {"singular", [](auto& s, auto&) { s.depth.singular = 1; }},
        {"recapture", [](auto& s, auto&) { s.depth.recapture = true; }},
        {"adaptive null move",
         [](auto& s, auto&) {
             s.pruning.null_reduction = 3;
             s.pruning.null_adaptive = true;
             s.pruning.null_recursive = false;
             s.pruning.null_if_above = true;
         }},
        {"early repetition", [](auto& s, auto&) { s.early_repetition = true; }},
        {"aspiration", [](auto& s, auto&) { s.window.aspiration = 30; }},
        {"random ties", [](auto& s, auto&) { s.root.random_ties = true; }},
        {"noise", [](auto& s, auto&) { s.root.noise = 20; }},
    };
    return techniques;
}

SearchSettings base_settings(Window window) {
    SearchSettings settings;
    settings.window.kind = window;
    settings.table = {14, 2, false, false};
    settings.quiescence.on = true;
    settings.ordering.table_move = true;
    settings.ordering.captures = true;
    settings.seed = 7;
    return settings;
}

/// The ordering and the frame that the hand-set pilots have: what the combinations of selective techniques rest on.
SearchSettings rich_settings(Window window) {
    SearchSettings settings = base_settings(window);
    settings.window.aspiration = 25;
    settings.table.probes = 4;
    settings.quiescence.most_plies = 6;
    settings.quiescence.evasions = true;
    settings.ordering.killers = 2;
    settings.ordering.history = true;
    settings.ordering.countermove = true;
    settings.ordering.internal_deepening = 2;
    settings.early_repetition = true;
    return settings;
}

/// Material and squares, with weights that are no one's, so that captures and quiet moves matter.
EvaluationSettings signed_evaluation(const GameInfo& info) {
    EvaluationSettings evaluation;
    evaluation.kind = EvaluationSettings::Kind::linear;
    for (std::size_t set = 0; set < info.feature_sets.size(); ++set) {
        const std::string_view name = info.feature_sets[set].name;
        if (name != "material" && name != "half_board") continue;
        std::vector<float> weights;
        for (std::size_t i = 0; i < info.feature_sets[set].features.size(); ++i)
            weights.push_back(static_cast<float>(name == "material" ? 100 + 100 * i : i * 7 % 31));
        evaluation.terms.emplace_back(static_cast<int>(set), weights);
    }
    return evaluation;
}

/// Positions of random play in which the game goes on.
std::vector<std::unique_ptr<AnyPosition>> signed_positions(const AnyGame& game, int count) {
    std::vector<std::unique_ptr<AnyPosition>> positions;
    std::mt19937 random(5);
    while (static_cast<int>(positions.size()) < count) {
        auto position = game.from_fen(*game.start_fen(""));
        for (unsigned plies = random() % 120; plies && !position->outcome(); --plies) {
            MoveList list;
            position->generate(list);
            position->try_push(list[random() % list.size()]);
        }
        if (!position->outcome()) positions.push_back(std::move(position));
    }
    return positions;
}

struct Signature {
    std::uint64_t nodes = 0;
    std::uint64_t digest = 0;  // of moves, scores and nodes

    void add(const SearchResult& result) {
        nodes += result.nodes.all;
        for (const std::uint64_t part : {std::uint64_t{result.move.bits}, static_cast<std::uint64_t>(result.score),
                                         result.nodes.all, result.nodes.quiescence})
            digest = splitmix64(digest ^ part);
    }
};

/// Searches the positions in a row, with one memory, as a game does.
void sign(Signature& signature, const AnyGame& game, int depth, const SearchSettings& settings,
          const std::vector<std::unique_ptr<AnyPosition>>& positions) {
    const auto searcher = game.searcher(settings, signed_evaluation(game.info()));
    for (const auto& position : positions) {
        const std::atomic<bool> stop{false};
        Clock clock({.depth = depth, .nodes = 25000}, stop);
        signature.add(searcher->run(*position, clock));
    }
}

const bool prints = [] {
    const char* wanted = std::getenv("PLYPILOT_SIGNATURE");
    return wanted && std::string_view(wanted) == "print";
}();

struct Row {
    std::string_view technique;
    std::array<std::array<std::uint64_t, 4>, 3> nodes;  // by window, by game
};

const std::vector<Row>& expected_rows() {
    static const std::vector<Row> rows = {
        // clang-format off
        {"nothing", {{{{14321, 29383, 22670, 22884}}, {{14672, 24801, 21477, 22743}}, {{17103, 45132, 42974, 47272}}}}},
        {"no table", {{{{30521, 47196, 26640, 44074}}, {{24167, 33432, 24831, 45654}}, {{36592, 75000, 62748, 75000}}}}},
        {"two-level table", {{{{14321, 29383, 22670, 22884}}, {{14672, 24801, 21477, 22743}}, {{17103, 45123, 42966, 47272}}}}},
        {"exact table", {{{{14321, 29383, 22670, 22884}}, {{14672, 24801, 21477, 22743}}, {{17103, 45132, 42974, 47272}}}}},
        {"no quiescence", {{{{9883, 22833, 16182, 46149}}, {{9484, 20611, 16083, 45371}}, {{11525, 30746, 15657, 69298}}}}},
        {"blind horizon", {{{{9883, 22833, 16182, 46149}}, {{9484, 20611, 16083, 45371}}, {{11525, 30746, 15657, 69298}}}}},
        {"quiescence plies", {{{{12622, 32771, 22172, 19750}}, {{11967, 22657, 22149, 19740}}, {{19226, 49452, 44152, 44012}}}}},
        {"evasions", {{{{14321, 45759, 22670, 24534}}, {{14672, 38233, 21477, 24008}}, {{17103, 52532, 42974, 49054}}}}},
        {"ends in quiescence", {{{{14321, 29383, 22670, 22884}}, {{14672, 24801, 21477, 22743}}, {{17103, 45132, 42974, 47272}}}}},
        {"captures as generated", {{{{13533, 35266, 22670, 32868}}, {{13884, 30517, 21477, 31012}}, {{16501, 47067, 42974, 53673}}}}},
        {"killers", {{{{12959, 20574, 22631, 15744}}, {{13536, 19882, 21470, 16083}}, {{14935, 40559, 42756, 31142}}}}},
        {"history", {{{{13646, 22228, 22783, 16029}}, {{14083, 20653, 21514, 16646}}, {{16536, 33037, 42957, 30380}}}}},
        {"countermove", {{{{13413, 27174, 22664, 19539}}, {{13925, 23470, 21471, 19592}}, {{15844, 43925, 42910, 41461}}}}},
        {"shuffle", {{{{15140, 29261, 26620, 20607}}, {{15716, 25550, 23976, 20124}}, {{19472, 52543, 42900, 38082}}}}},
        {"internal deepening", {{{{14321, 29317, 22709, 22884}}, {{14672, 24801, 21477, 22743}}, {{17103, 45132, 42974, 47272}}}}},
        {"first category", {{{{61825, 45877, 66840, 66557}}, {{61818, 40412, 66637, 65297}}, {{62161, 56902, 67529, 66181}}}}},
        {"evasion units", {{{{14321, 39485, 22670, 24334}}, {{14672, 31543, 21477, 24193}}, {{17103, 51607, 42974, 48695}}}}},
        {"check extension", {{{{14321, 44311, 22670, 24854}}, {{14672, 36235, 21477, 24713}}, {{17103, 52879, 42974, 48912}}}}},
        {"mate threat", {{{{29170, 21998, 20331, 16833}}, {{29070, 18094, 19686, 16463}}, {{31559, 41231, 44422, 23071}}}}},
        {"singular", {{{{75000, 64805, 61430, 56728}}, {{69700, 63957, 58263, 54402}}, {{58069, 61818, 61544, 69519}}}}},
        {"recapture", {{{{14949, 33252, 22765, 23017}}, {{15295, 26124, 22137, 22954}}, {{17138, 39382, 37974, 46942}}}}},
        {"adaptive null move", {{{{29155, 21954, 20288, 16761}}, {{29026, 17996, 19562, 16367}}, {{31455, 41000, 44194, 22868}}}}},
        {"early repetition", {{{{14321, 29383, 22670, 22882}}, {{14672, 24801, 21477, 22741}}, {{17103, 45132, 42974, 47252}}}}},
        {"aspiration", {{{{14267, 29408, 25784, 22051}}, {{14658, 25423, 24923, 21338}}, {{17103, 45132, 42974, 47272}}}}},
        {"random ties", {{{{16235, 36924, 27407, 28607}}, {{16912, 32161, 27668, 29089}}, {{19373, 51290, 43583, 48981}}}}},
        {"noise", {{{{13833, 32843, 22086, 21344}}, {{14256, 26768, 21303, 21253}}, {{15631, 43681, 38059, 41465}}}}},
        {"null move", {{{{29170, 21998, 20331, 16833}}, {{29070, 18094, 19686, 16463}}, {{31559, 41231, 44422, 23071}}}}},
        {"futility", {{{{12560, 17474, 19316, 17676}}, {{12911, 15522, 18145, 17188}}, {{15342, 44328, 40650, 44873}}}}},
        {"late moves", {{{{7954, 11940, 11657, 9107}}, {{9492, 10528, 11470, 13452}}, {{15094, 38371, 60767, 31267}}}}},
        {"late reductions", {{{{6762, 9799, 10124, 15922}}, {{7399, 9095, 9478, 16124}}, {{8634, 26000, 27787, 32542}}}}},
        {"categories", {{{{64572, 73823, 66840, 75000}}, {{64560, 72373, 66640, 75000}}, {{64850, 75000, 67515, 75000}}}}},
        {"quiescence margin", {{{{13061, 17502, 20845, 16949}}, {{13412, 15360, 19711, 16958}}, {{17525, 26448, 53369, 33877}}}}},
        // clang-format on
    };
    return rows;
}

/// Digests of all combinations of some techniques, by window and by game.
using Digests = std::array<std::array<std::uint64_t, 4>, 3>;

constexpr Digests expected_combinations = {{
    // clang-format off
    {{0x3b88d4a4520846f9, 0x58d5a080c3aac150, 0x6a634e6dd6e3726c, 0x86fe911829144c4}},
    {{0xbd1b9afa24aab2d6, 0xf3b37f741b52003b, 0xa820113fb22f5b48, 0x26b7807c8d189a8c}},
    {{0xb71838f37ba84177, 0xea75122eb00220cb, 0xfa8b7ab065d952c0, 0x20d9e834f114eb81}},
    // clang-format on
}};
constexpr Digests expected_guards = {{
    // clang-format off
    {{0x8362b197aea6c724, 0x316c3f2f66297699, 0x5889adc7a2fc9c43, 0x4491b9d37cfb8b88}},
    {{0x73850ccc282cef1b, 0xb59765c8a0c76f, 0xdcfda421fce9cdb1, 0x1976c957d704dc53}},
    {{0x2d1b1b3b452ed0e8, 0x2c65c6e0fd2a722c, 0xd8baebc1be5ebf30, 0xb429035a2af4cc6e}},
    // clang-format on
}};
constexpr Digests expected_extensions = {{
    // clang-format off
    {{0x5095fe31b504ae9f, 0x7bf94cf8f0385fc8, 0xe694b24869e8f921, 0x94e8efbdea958b8}},
    {{0x2bb8e951e4bdccaa, 0xde5e52abe88f0e16, 0x45d5ffd9df879971, 0x71996461ae4fdf1f}},
    {{0x206f46791225a3eb, 0x87ced08880868d7, 0x2b4e84fed8390e59, 0x224f93e685c843c6}},
    // clang-format on
}};

/// Signs all combinations of some techniques, each beside what a frame has.
void check_combinations(const std::vector<Technique>& techniques, const std::function<SearchSettings(Window)>& frame,
                        const Digests& expected) {
    for (std::size_t window = 0; window < windows.size(); ++window) {
        for (std::size_t number = 0; number < signed_games.size(); ++number) {
            const AnyGame& game = *find_game(signed_games[number].name);
            const auto positions = signed_positions(game, 2);
            Signature signature;
            for (unsigned combination = 0; combination < 1u << techniques.size(); ++combination) {
                SearchSettings settings = frame(windows[window].second);
                for (std::size_t i = 0; i < techniques.size(); ++i) {
                    if (combination >> i & 1) techniques[i].switch_on(settings, game.info());
                }
                sign(signature, game, signed_games[number].depth, settings, positions);
            }
            if (prints) {
                std::printf("%s0x%llx%s", number ? ", " : "    {{", static_cast<unsigned long long>(signature.digest),
                            number < 3 ? "" : "}},\n");
                continue;
            }
            CAPTURE(windows[window].first);
            CAPTURE(signed_games[number].name);
            CHECK(signature.digest == expected[window][number]);
        }
    }
}

}  // namespace

TEST_CASE("the signature of each technique is the same under every compiler, for every window and game") {
    std::vector<Technique> techniques = other_techniques();
    techniques.insert(techniques.end(), selective_techniques().begin(), selective_techniques().end());
    std::uint64_t digest = 0;
    for (std::size_t row = 0; row < techniques.size(); ++row) {
        const Technique& technique = techniques[row];
        if (prints) std::printf("        {\"%s\", {{", std::string(technique.name).c_str());
        for (std::size_t window = 0; window < windows.size(); ++window) {
            if (prints) std::printf("{{");
            for (std::size_t number = 0; number < signed_games.size(); ++number) {
                const AnyGame& game = *find_game(signed_games[number].name);
                SearchSettings settings = base_settings(windows[window].second);
                technique.switch_on(settings, game.info());
                Signature signature;
                sign(signature, game, signed_games[number].depth, settings, signed_positions(game, 3));
                digest = splitmix64(digest ^ signature.digest);
                if (prints) {
                    std::printf("%llu%s", static_cast<unsigned long long>(signature.nodes), number < 3 ? ", " : "}}");
                    continue;
                }
                REQUIRE(row < expected_rows().size());
                REQUIRE(expected_rows()[row].technique == technique.name);
                CAPTURE(technique.name);
                CAPTURE(windows[window].first);
                CAPTURE(signed_games[number].name);
                CHECK(signature.nodes == expected_rows()[row].nodes[window][number]);
            }
            if (prints) std::printf(window < 2 ? ", " : "}}},\n");
        }
    }
    constexpr std::uint64_t expected_digest = 0x36df6500d50c043d;
    if (prints) {
        std::printf("digest 0x%llx\n", static_cast<unsigned long long>(digest));
        return;
    }
    CHECK(expected_rows().size() == techniques.size());
    CHECK(digest == expected_digest);
}

TEST_CASE("the signature of all combinations of selective techniques is the same under every compiler") {
    check_combinations(selective_techniques(), rich_settings, expected_combinations);
}

TEST_CASE("the signature of all combinations of the guards of pruning is the same under every compiler") {
    const auto frame = [](Window window) {
        SearchSettings settings = rich_settings(window);
        settings.pruning.futility_margin = 100;
        settings.pruning.late_moves = 2;
        settings.depth.reduce_late = true;
        return settings;
    };
    check_combinations(guards(), frame, expected_guards);
}

TEST_CASE("the signature of all combinations of extensions is the same under every compiler") {
    const auto frame = [](Window window) {
        SearchSettings settings = rich_settings(window);
        settings.pruning.null_reduction = 2;
        return settings;
    };
    check_combinations(extensions(), frame, expected_extensions);
}
