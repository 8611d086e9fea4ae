package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.pipeline.state.Manifest;
import io.tidemark.pipeline.state.StateFolder;
import io.tidemark.pipeline.state.TargetEntry;
import io.tidemark.pipeline.target.ForeignCommits;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a target knows of its flows at one version.
 *
 * @param snapshot the version
 * @param entry the target's entry
 * @param manifest the pinned state; an empty one before the first update
 * @param folder where the state is
 * @param domains the version whose entries count: the snapshot, or the version that another engine restored
 * @param changedSince version of the last update if others changed rows since, so that these must be found
 */
record TargetState(
        Snapshot snapshot,
        TargetEntry entry,
        Manifest manifest,
        StateFolder folder,
        Snapshot domains,
        OptionalLong changedSince) {

    /**
     * Reads the state of a target and checks that its rows and its state belong together.
     *
     * @param changeFlow whether a change flow writes the target, for which existing rows mean history
     * @throws TidemarkException {@code FLOW_STATE_MISSING}, {@code TARGET_REWOUND}, {@code STATE_MISSING} or
     *     {@code FLOW_HISTORY_GONE}
     */
    static TargetState read(
            UpdateContext context, StreamingTable target, DeltaTable table, Snapshot snapshot, boolean changeFlow) {
        try {
            return read(context, target.name(), table, snapshot, changeFlow);
        } catch (TidemarkException e) {
            throw e.at(target.location());
        }
    }

    private static TargetState read(
            UpdateContext context, TableName name, DeltaTable table, Snapshot snapshot, boolean changeFlow) {
        StateFolder folder = StateFolder.of(context.warehouse().storage(), snapshot);
        RunOptions options = context.options();
        Optional<TargetEntry> found = snapshot.domain(TargetEntry.DOMAIN).map(TargetEntry::parse);
        if (found.isEmpty() || (found.get().manifest().isEmpty() && !changeFlow)) {
            return withoutState(name, snapshot, folder, found, changeFlow && !options.adoptRows());
        }
        TargetEntry entry = found.get();
        if (entry.tableId().isPresent() && !entry.tableId().get().equals(snapshot.tableId())) {
            throw TidemarkException.of(
                            ErrorCode.FLOW_STATE_MISSING, "the state of table " + name + " belongs to another table")
                    .detail("The table is a copy of one with id "
                            + entry.tableId().get() + ".")
                    .hint("take its rows as they are with --adopt-rows, or rebuild it with --full-refresh=" + name)
                    .build();
        }
        return afterOthers(options, name, table, snapshot, entry, folder, changeFlow);
    }

    private static TargetState afterOthers(
            RunOptions options,
            TableName name,
            DeltaTable table,
            Snapshot snapshot,
            TargetEntry entry,
            StateFolder folder,
            boolean changeFlow) {
        ForeignCommits.Findings findings;
        try {
            findings = new ForeignCommits(table, snapshot, entry).find();
        } catch (TidemarkException e) {
            // Flows that only append do not look at the rows, so it does not matter who changed them.
            boolean rowsMatter = changeFlow && !options.adoptRows();
            if (e.code() == ErrorCode.FLOW_HISTORY_GONE && !rowsMatter) {
                return withManifest(name, snapshot, entry, folder, snapshot, OptionalLong.empty());
            }
            throw e;
        }
        if (findings.rewind().isEmpty()) {
            OptionalLong changed = findings.rowsChanged() && changeFlow
                    ? OptionalLong.of(findings.lastUpdate())
                    : OptionalLong.empty();
            return withManifest(name, snapshot, entry, folder, snapshot, changed);
        }
        ForeignCommits.Rewind rewind = findings.rewind().get();
        if (!options.resumeAtRestored() || rewind.restoredVersion().isEmpty()) {
            throw rewound(name, rewind);
        }
        Snapshot restored = table.at(rewind.restoredVersion().get());
        TargetEntry old =
                restored.domain(TargetEntry.DOMAIN).map(TargetEntry::parse).orElseThrow(() -> rewound(name, rewind));
        OptionalLong changed =
                findings.rowsChanged() && changeFlow ? OptionalLong.of(rewind.version()) : OptionalLong.empty();
        return withManifest(name, snapshot, old, folder, restored, changed);
    }

    private static TidemarkException rewound(TableName name, ForeignCommits.Rewind rewind) {
        String resume = rewind.restoredVersion().isPresent()
                ? "go on from the restored version with --resume-at-restored, or "
                : "";
        return TidemarkException.of(
                        ErrorCode.TARGET_REWOUND,
                        "table " + name + " was changed by " + rewind.operation() + " in version " + rewind.version()
                                + ", after the last update of its flows")
                .detail("Its rows and the flows' positions no longer belong together.")
                .hint(resume + "rebuild it with --full-refresh=" + name)
                .build();
    }

    private static TargetState withoutState(
            TableName name, Snapshot snapshot, StateFolder folder, Optional<TargetEntry> found, boolean mustBeEmpty) {
        if (mustBeEmpty && !snapshot.files().isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.FLOW_STATE_MISSING, "table " + name + " has rows, but no state of a change flow")
                    .detail("It may be a copy, or was filled by other means.")
                    .hint("take its rows as they are with --adopt-rows, or rebuild it with --full-refresh=" + name)
                    .build();
        }
        TargetEntry entry = found.orElse(
                new TargetEntry(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), java.util.Map.of()));
        Manifest empty = Manifest.empty(StateFolder.freshId(), snapshot.tableId());
        return new TargetState(snapshot, entry, empty, folder, snapshot, OptionalLong.empty());
    }

    private static TargetState withManifest(
            TableName name,
            Snapshot snapshot,
            TargetEntry entry,
            StateFolder folder,
            Snapshot domains,
            OptionalLong changedSince) {
        Manifest manifest = entry.manifest()
                .map(id -> folder.load(id, name.toString()))
                .orElseGet(() -> Manifest.empty(StateFolder.freshId(), snapshot.tableId()));
        return new TargetState(snapshot, entry, manifest, folder, domains, changedSince);
    }

    /**
     * How far a flow has come.
     *
     * @throws TidemarkException {@code FOREIGN_PIPELINE}
     */
    Optional<FlowEntry> flow(FlowDefinition flow, String pipelineId) {
        Optional<FlowEntry> found =
                domains.domain(FlowEntry.domain(flow.name())).map(json -> FlowEntry.parse(flow.name(), json));
        if (found.isPresent() && !found.get().pipeline().equals(pipelineId)) {
            throw TidemarkException.of(
                            ErrorCode.FOREIGN_PIPELINE,
                            "flow " + flow.name() + " of table " + flow.target() + " belongs to pipeline "
                                    + found.get().pipeline() + ", not to " + pipelineId)
                    .at(flow.location())
                    .hint(
                            "give the flow another name, or say that this is the same pipeline: SET tidemark.pipeline.id = '"
                                    + found.get().pipeline() + "'")
                    .build();
        }
        return found;
    }

    /** Whether any flow that has an entry in the table reads snapshots. */
    boolean hasSnapshots() {
        return flowNames().stream()
                .anyMatch(name -> domains.domain(FlowEntry.domain(name))
                        .flatMap(json -> FlowEntry.parse(name, json).snapshot())
                        .isPresent());
    }

    /** Names of the flows that have an entry in the table, in lower case. */
    List<String> flowNames() {
        return domains.domains().keySet().stream()
                .filter(domain -> domain.startsWith(FlowEntry.DOMAIN_PREFIX))
                .map(domain -> domain.substring(FlowEntry.DOMAIN_PREFIX.length()))
                .sorted()
                .toList();
    }
}
