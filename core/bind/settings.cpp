#include "settings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace plypilot::bind {

namespace {

/// An array of a known size, in C order whatever its shape.
std::vector<float> floats(nb::handle given, std::size_t size) {
    const auto array = nb::cast<nb::ndarray<const float, nb::c_contig>>(given);
    if (array.size() != size) throw nb::value_error(("expected " + std::to_string(size) + " weights").c_str());
    return {array.data(), array.data() + size};
}

}  // namespace

SearchSettings read_settings(nb::dict settings) {
    SearchSettings made;
    Reader all(settings, "settings");
    all.read("early_repetition", made.early_repetition);
    all.read("ends_at_horizon", made.ends_at_horizon);
    all.read("seed", made.seed);

    Reader window = all.group("window");
    window.read("kind", made.window.kind,
                {{"alpha_beta", Window::alpha_beta}, {"pvs", Window::pvs}, {"mtdf", Window::mtdf}});
    window.read("aspiration", made.window.aspiration);
    window.finish();

    Reader table = all.group("table");
    table.read("log2_entries", made.table.log2_entries);
    table.read("probes", made.table.probes);
    table.read("two_level", made.table.two_level);
    table.read("exact", made.table.exact);
    table.finish();

    Reader quiescence = all.group("quiescence");
    quiescence.read("on", made.quiescence.on);
    quiescence.read("most_plies", made.quiescence.most_plies);
    quiescence.read("exchange_filter", made.quiescence.exchange_filter);
    quiescence.read("margin", made.quiescence.margin);
    quiescence.read("evasions", made.quiescence.evasions);
    quiescence.read("ends", made.quiescence.ends);
    quiescence.finish();

    Reader ordering = all.group("ordering");
    ordering.read("table_move", made.ordering.table_move);
    ordering.read("captures", made.ordering.captures);
    ordering.read("exchange", made.ordering.exchange);
    ordering.read("killers", made.ordering.killers);
    ordering.read("history", made.ordering.history);
    ordering.read("countermove", made.ordering.countermove);
    ordering.read("shuffle", made.ordering.shuffle);
    ordering.read("internal_deepening", made.ordering.internal_deepening);
    ordering.finish();

    Reader depth = all.group("depth");
    for (nb::handle category : depth.object("categories"))
        made.depth.categories.push_back({nb::cast<FeatureMask>(category[0]), nb::cast<int>(category[1])});
    depth.read("rule", made.depth.rule,
               {{"lowest", DepthSettings::Rule::lowest}, {"first", DepthSettings::Rule::first}});
    depth.read("evasion_units", made.depth.evasion_units);
    depth.read("mate_threat_units", made.depth.mate_threat_units);
    depth.read("singular", made.depth.singular);
    depth.read("recapture", made.depth.recapture);
    depth.read("reduce_late", made.depth.reduce_late);
    depth.finish();

    Reader pruning = all.group("pruning");
    pruning.read("null_reduction", made.pruning.null_reduction);
    pruning.read("null_adaptive", made.pruning.null_adaptive);
    pruning.read("null_recursive", made.pruning.null_recursive);
    pruning.read("null_if_above", made.pruning.null_if_above);
    pruning.read("futility_margin", made.pruning.futility_margin);
    pruning.read("late_moves", made.pruning.late_moves);
    pruning.finish();

    Reader root = all.group("root");
    root.read("random_ties", made.root.random_ties);
    root.read("noise", made.root.noise);
    root.finish();
    all.finish();
    return made;
}

int set_number(const GameInfo& info, const std::string& name) {
    for (std::size_t i = 0; i < info.feature_sets.size(); ++i) {
        if (info.feature_sets[i].name == name) return static_cast<int>(i);
    }
    throw nb::key_error(("no feature set " + name).c_str());
}

EvaluationSettings read_evaluation(const GameInfo& info, nb::dict evaluation) {
    using Kind = EvaluationSettings::Kind;
    EvaluationSettings made;
    Reader all(evaluation, "evaluation");
    all.read("kind", made.kind,
             {{"zero", Kind::zero}, {"random", Kind::random}, {"linear", Kind::linear}, {"network", Kind::network}});
    all.read("random_size", made.random_size);
    all.read("seed", made.seed);
    for (nb::handle term : all.object("terms")) {
        const int set = set_number(info, nb::cast<std::string>(term[0]));
        made.terms.emplace_back(set, floats(term[1], info.feature_sets[set].features.size()));
    }
    const nb::object network = all.object("network");
    if (!network.is_none()) {
        Reader parts(network, "evaluation.network");
        std::string set;
        parts.read("set", set);
        made.network.set = set_number(info, set);
        parts.read("units", made.network.units);
        if (made.network.units < 1 || made.network.units > HiddenSum::most_units)
            throw nb::value_error("a network has 1 to 256 hidden units");
        const auto units = static_cast<std::size_t>(made.network.units);
        made.network.hidden =
            floats(parts.object("hidden"), info.feature_sets[made.network.set].features.size() * units);
        made.network.hidden_bias = floats(parts.object("hidden_bias"), units);
        made.network.output = floats(parts.object("output"), units);
        parts.read("output_bias", made.network.output_bias);
        parts.read("scale", made.network.scale);
        parts.read("first_player", made.network.first_player);
        parts.finish();
    } else if (made.kind == Kind::network) {
        throw nb::value_error("evaluation.network is missing");
    }
    all.finish();
    return made;
}

}  // namespace plypilot::bind
