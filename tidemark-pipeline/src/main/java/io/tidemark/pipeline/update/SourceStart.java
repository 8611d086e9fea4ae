package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.delta.Snapshot;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.state.Manifest;
import io.tidemark.pipeline.state.ProcessedFiles;
import io.tidemark.pipeline.state.StateFolder;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether a source still has all that a flow has read from it, which a full refresh reads again. */
final class SourceStart {
    private static final int SAMPLE_FILES_MAX = 5;

    private final UpdateContext context;
    private final Snapshot target;

    SourceStart(UpdateContext context, Snapshot target) {
        this.context = context;
        this.target = target;
    }

    /**
     * Refuses a refresh that would lose rows.
     *
     * @param sources the flow's sources, opened at their start
     * @throws TidemarkException {@code SOURCE_START_GONE}
     */
    void check(FlowDefinition flow, FlowSources sources) {
        Optional<Manifest> manifest = manifest();
        if (manifest.isEmpty()) {
            return;
        }
        Map<String, Set<String>> present = new TreeMap<>();
        sources.newFiles()
                .forEach(file -> present.computeIfAbsent(file.source(), key -> new TreeSet<>())
                        .add(file.path()));
        ProcessedFiles processed =
                new ProcessedFiles(StateFolder.of(context.warehouse().storage(), target), context.engine());
        present.forEach((source, files) -> {
            Set<String> gone =
                    new TreeSet<>(processed.read(manifest.get(), flow.name(), source, context.freshPrefix() + "read"));
            gone.removeAll(files);
            if (!gone.isEmpty()) {
                throw gone(flow, gone);
            }
        });
    }

    /** A state that is damaged is what a full refresh cures, so it is no reason to refuse one. */
    private Optional<Manifest> manifest() {
        try {
            StateFolder folder = StateFolder.of(context.warehouse().storage(), target);
            return target.domain(TargetEntry.DOMAIN)
                    .flatMap(json -> TargetEntry.parse(json).manifest())
                    .map(id -> folder.load(id, target.location()));
        } catch (TidemarkException e) {
            return Optional.empty();
        }
    }

    private static TidemarkException gone(FlowDefinition flow, Set<String> files) {
        return TidemarkException.of(
                        ErrorCode.SOURCE_START_GONE,
                        files.size() + (files.size() == 1 ? " file" : " files") + " that flow " + flow.name()
                                + " has read are no longer there, so a refresh would lose their rows")
                .at(flow.location())
                .detail("Files: "
                        + String.join(
                                ", ", files.stream().limit(SAMPLE_FILES_MAX).toList()) + ".")
                .hint("bring the files back; or drop the table if their rows are to go")
                .build();
    }
}
