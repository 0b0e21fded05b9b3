#include "results.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cmath>

namespace plypilot::bind {

namespace {

MoveObjects move_objects(const MovePool& pool, const std::vector<Move>& line) {
    MoveObjects moves;
    for (Move move : line) moves.append(pool.object(move));
    return moves;
}

/// Numbers that an enum counts, by its words.
template <class Enum, class T, std::size_t count>
nb::dict by_word(const std::array<T, count>& numbers, std::size_t from = 0) {
    static_assert(count == word_count<Enum>);
    nb::dict named;
    for (std::size_t i = from; i < count; ++i) named[nb::cast(words<Enum>[i])] = numbers[i];
    return named;
}

template <std::size_t count>
nb::list listed(const std::array<std::uint64_t, count>& numbers) {
    nb::list list;
    for (std::uint64_t number : numbers) list.append(number);
    return list;
}

std::uint64_t ended_by(const StatisticsRecord& statistics, std::initializer_list<Left> ways) {
    std::uint64_t nodes = 0;
    for (Left way : ways)
        nodes += nb::cast<std::uint64_t>(statistics.endings[nb::cast(words<Left>[static_cast<std::size_t>(way)])]);
    return nodes;
}

std::optional<MoveObject> first_of(const MoveObjects& pv) {
    if (pv.size() == 0) return std::nullopt;
    return MoveObject(nb::object(pv[0]));
}

nb::typed<nb::list, LineRecord> lines_of(const IterationRecord& iteration) {
    nb::typed<nb::list, LineRecord> lines;
    lines.append(LineRecord{iteration.score, iteration.pv, iteration.continuation});
    lines.extend(iteration.others);
    return lines;
}

nb::typed<nb::list, LineRecord> lines_of(const ResultRecord& result) {
    nb::typed<nb::list, LineRecord> lines;
    lines.append(LineRecord{result.score, result.pv, result.continuation});
    const std::size_t depths = result.iterations.size();
    if (!depths) return lines;
    const auto last = lines_of(nb::cast<const IterationRecord&>(result.iterations[depths - 1]));
    for (nb::handle line : last) {
        if (lines.size() == last.size()) break;
        if (!is_equal(first_of(nb::cast<const LineRecord&>(line).pv), result.move)) lines.append(line);
    }
    return lines;
}

double branching_factor(const ResultRecord& result) {
    std::vector<double> sizes;
    std::uint64_t before = 0;
    for (nb::handle iteration : result.iterations) {
        const std::uint64_t spent = nb::cast<const IterationRecord&>(iteration).nodes.all;
        sizes.push_back(static_cast<double>(spent - before));
        before = spent;
    }
    const std::size_t count = sizes.size();
    if (count < 3 || sizes[count - 3] == 0) return 0;
    return std::sqrt(sizes[count - 1] / sizes[count - 3]);
}

double first_move_rate(const StatisticsRecord& statistics) {
    std::uint64_t all = 0;
    for (nb::handle count : statistics.cutoffs) all += nb::cast<std::uint64_t>(count);
    return all ? nb::cast<double>(statistics.cutoffs[0]) / static_cast<double>(all) : 0;
}

/// Moves in the game's own notation.
std::string text_of(const MoveObjects& moves) {
    std::string text = "'";
    for (nb::handle move : moves) text += (text.size() == 1 ? "" : " ") + std::string(nb::str(move).c_str());
    return text + "'";
}

/// The principal variation, and behind its end what the table says.
template <class Found>
MoveObjects whole_pv(const Found& found) {
    MoveObjects moves;
    moves.extend(found.pv);
    moves.extend(found.continuation);
    return moves;
}

std::string described(const LineRecord& line, const char* name) {
    return std::string(name) + "(score=" + std::to_string(line.score) + ", pv=" + text_of(line.pv) + ")";
}

/// What an iteration and a result have in common.
template <class Found>
std::string described(const Found& found, const char* name, int depth) {
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%.3g", found.seconds);
    return std::string(name) + "(depth=" + std::to_string(depth) + ", score=" + std::to_string(found.score) +
           ", nodes=" + std::to_string(found.nodes.all) + ", seconds=" + seconds.data() + ", pv=" + text_of(found.pv) +
           ")";
}
std::string described(const IterationRecord& iteration, const char* name) {
    return described(iteration, name, iteration.depth);
}

int depth_of(const ResultRecord& result) {
    const std::size_t count = result.iterations.size();
    return count ? nb::cast<const IterationRecord&>(result.iterations[count - 1]).depth : 0;
}
std::string described(const ResultRecord& result, const char* name) {
    return described(result, name, depth_of(result));
}

/// The counts that are not 0.
std::string described(const StatisticsRecord& statistics, const char* name) {
    std::string text = std::string(name) + "(";
    std::string between;
    each_field<StatisticsRecord>([&](const auto& field) {
        if constexpr (std::is_integral_v<typename std::remove_cvref_t<decltype(field)>::Value>) {
            text += between + field.name + "=" + std::to_string(statistics.*field.member);
            between = ", ";
        } else if constexpr (std::is_base_of_v<nb::dict, typename std::remove_cvref_t<decltype(field)>::Value>) {
            nb::dict counted;
            for (const auto& [word, number] : statistics.*field.member) {
                if (nb::cast<double>(number) != 0) counted[word] = number;
            }
            if (counted.size() == 0) return;
            text += between + field.name + "=" + nb::repr(counted).c_str();
            between = ", ";
        }
    });
    return text + ")";
}

}  // namespace

IterationRecord report(const MovePool& pool, const Iteration& iteration) {
    nb::typed<nb::list, LineRecord> others;
    for (const ScoredLine& line : iteration.others)
        others.append(LineRecord{line.score, move_objects(pool, line.moves), move_objects(pool, line.continuation)});
    return {iteration.depth,   iteration.score,         move_objects(pool, iteration.line),
            iteration.nodes,   iteration.seconds,       others,
            iteration.deepest, iteration.table_permill, move_objects(pool, iteration.continuation)};
}

StatisticsRecord report(const Statistics& statistics) {
    const std::size_t rows = statistics.categories.size();
    std::vector<std::uint64_t> searched, cut;
    for (const auto& row : statistics.categories) {
        for (const Statistics::Count& count : row) {
            searched.push_back(count.searched);
            cut.push_back(count.cut);
        }
    }
    std::vector<double> altered;
    for (const auto& row : statistics.altered_nodes) altered.insert(altered.end(), row.begin(), row.end());
    const std::size_t depths = statistics.altered_nodes.size();
    return {
        .endings = by_word<Left>(statistics.left),
        .table_probes = statistics.table_probes,
        .table_hits = statistics.table_hits,
        .moves = statistics.moves,
        .extended = statistics.extended,
        .reduced = statistics.reduced,
        .skipped = by_word<Skip>(statistics.skipped, 1),
        .cutoffs = listed(statistics.cutoffs),
        .stage_cutoffs = by_word<Stage>(statistics.stage_cutoffs),
        .features = listed(statistics.features),
        .category_moves = {std::move(searched), {rows, Statistics::ranks}},
        .category_cutoffs = {std::move(cut), {rows, Statistics::ranks}},
        .altered_nodes = {std::move(altered), {depths, depths ? statistics.altered_nodes[0].size() : 0}},
        .seconds = by_word<Part>(statistics.seconds),
        .deepest = statistics.deepest,
    };
}

ResultRecord report(const MovePool& pool, const SearchResult& result) {
    nb::typed<nb::list, IterationRecord> iterations;
    for (const Iteration& iteration : result.iterations) iterations.append(report(pool, iteration));
    return {
        .move = result.move ? std::optional<MoveObject>(pool.object(result.move)) : std::nullopt,
        .score = result.score,
        .pv = move_objects(pool, result.line),
        .nodes = result.nodes,
        .seconds = result.seconds,
        .stopped = result.stopped,
        .iterations = iterations,
        .table_permill = result.table_permill,
        .statistics = std::nullopt,
        .continuation = move_objects(pool, result.continuation),
    };
}

void bind_results(nb::module_& module) {
    constexpr const char* whole_pv_text = "The principal variation with its continuation: what people are shown.";
    bind_record<NodeCounts>(module, "Nodes", "What a search spent, in moves made.");
    bind_record<LineRecord>(module, "Line", "A principal variation and what it is worth.", &described)
        .def_prop_ro("whole_pv", &whole_pv<LineRecord>, whole_pv_text)
        .def_prop_ro("move", [](const LineRecord& self) { return first_of(self.pv); }, "The move it begins with.");
    bind_record<IterationRecord>(module, "Iteration", "One completed depth.", &described)
        .def_prop_ro(
            "lines", [](const IterationRecord& self) { return lines_of(self); },
            "As many lines as were asked for, the best first.")
        .def_prop_ro("whole_pv", &whole_pv<IterationRecord>, whole_pv_text)
        .def_prop_ro("move", [](const IterationRecord& self) { return first_of(self.pv); }, "The move it would play.");
    bind_record<StatisticsRecord>(module, "Statistics", "What a search decided, counted.", &described)
        .def_prop_ro(
            "interior",
            [](const StatisticsRecord& self) {
                return ended_by(self, {Left::table, Left::futile, Left::passed, Left::searched});
            },
            "Nodes within the tree, above the horizon.")
        .def_prop_ro(
            "leaves", [](const StatisticsRecord& self) { return ended_by(self, {Left::horizon}); },
            "Nodes at the horizon that were judged with no quiescence search.")
        .def_prop_ro(
            "quiescence", [](const StatisticsRecord& self) { return ended_by(self, {Left::quiesced}); },
            "Nodes of quiescence searches that followed captures.")
        .def_prop_ro(
            "table_cuts", [](const StatisticsRecord& self) { return ended_by(self, {Left::table}); },
            "Nodes of which the table knew enough.")
        .def_prop_ro("first_move_rate", &first_move_rate,
                     "The part of all cut-offs that the first move made; 0 where there were none.");
    bind_record<ResultRecord>(module, "Result", "What a search found.", &described)
        .def_prop_ro("whole_pv", &whole_pv<ResultRecord>, whole_pv_text)
        .def_prop_ro("depth", &depth_of, "The last completed depth, 0 where there was none.")
        .def_prop_ro(
            "lines", [](const ResultRecord& self) { return lines_of(self); },
            "The best lines: that of the move, and those of the last completed depth that begin with other moves.")
        .def_prop_ro(
            "branching_factor", &branching_factor,
            "The factor by which the last two iterations grew, the mean of both to even out odd and even depths.");
}

}  // namespace plypilot::bind
