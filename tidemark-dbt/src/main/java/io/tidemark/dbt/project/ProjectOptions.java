package io.tidemark.dbt.project;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a project is to be read.
 *
 * @param folder the project's folder, with {@code dbt_project.yml}
 * @param profilesFolder folder of {@code profiles.yml}; without it {@code DBT_PROFILES_DIR}, the project's folder and
 *     {@code ~/.dbt} are looked into
 * @param profile name of the profile; without it the one that the project names
 * @param target name of the target; without it the profile's default
 * @param variables variables that win over those of the project
 * @param environment the environment's variables
 */
public record ProjectOptions(
        Path folder,
        Optional<Path> profilesFolder,
        Optional<String> profile,
        Optional<String> target,
        Map<String, @Nullable Object> variables,
        Map<String, String> environment) {
    /** Options of a project that is run as it is. */
    public static ProjectOptions of(Path folder) {
        return new ProjectOptions(
                folder, Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), System.getenv());
    }

    /** These with the environment's variables given. */
    public ProjectOptions withEnvironment(Map<String, String> variables) {
        return new ProjectOptions(folder, profilesFolder, profile, target, this.variables, Map.copyOf(variables));
    }

    /** These with variables. */
    public ProjectOptions withVariables(Map<String, @Nullable Object> values) {
        return new ProjectOptions(folder, profilesFolder, profile, target, values, environment);
    }

    /** These with a target. */
    public ProjectOptions withTarget(String name) {
        return new ProjectOptions(folder, profilesFolder, profile, Optional.of(name), variables, environment);
    }
}
