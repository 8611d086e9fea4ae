package io.tidemark.pipeline.update;

import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.pipeline.state.FlowEntry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Identities of flows: what a ONCE flow has run, and under which name a flow counts its updates in the log. */
final class OnceFlows {
    private OnceFlows() {}

    /** A hash of a flow's query. */
    static String fingerprint(FlowDefinition flow) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(flow.query().sql().strip().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Warns if a ONCE flow that has run would now run another query. */
    static void warnIfChanged(UpdateContext context, FlowDefinition flow, FlowEntry entry) {
        if (!entry.onceText().orElse("").equals(fingerprint(flow))) {
            context.listener()
                    .warned("flow " + flow.name()
                            + " is ONCE and has run before; its query has changed since, and runs "
                            + "again only with --full-refresh=" + flow.target());
        }
    }

    /** The application id of a flow in the log. */
    static String applicationId(String pipelineId, String flow) {
        return "tidemark:" + pipelineId + ":" + flow.toLowerCase(Locale.ROOT);
    }
}
