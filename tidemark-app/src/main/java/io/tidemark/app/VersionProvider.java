package io.tidemark.app;

import picocli.CommandLine.IVersionProvider;

/** The release as the jar's manifest says it. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = VersionProvider.class.getPackage().getImplementationVersion();
        return new String[] {"tidemark " + (version == null ? "development build" : version)};
    }
}
