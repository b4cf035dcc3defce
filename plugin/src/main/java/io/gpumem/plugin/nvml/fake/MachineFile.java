package io.gpumem.plugin.nvml.fake;

import io.gpumem.plugin.nvml.fake.Fields.Refused;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a machine file, version 1; {@code docs/simulated-machines.md} is its description. A file is
 * taken whole or refused whole.
 */
public final class MachineFile {

  /** What became of a text. */
  public sealed interface Parsed {
    record Good(Machine machine) implements Parsed {}

    /** One line that names the key at fault. */
    record Refusal(String why) implements Parsed {}
  }

  private static final int VERSION = 1;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private MachineFile() {}

  public static Parsed parse(String text) {
    try {
      return new Parsed.Good(machine(Fields.of(JSON.readTree(text), "")));
    } catch (Refused | IllegalArgumentException refused) {
      return new Parsed.Refusal(String.valueOf(refused.getMessage()));
    } catch (JacksonException broken) {
      return new Parsed.Refusal("it is no JSON: " + oneLine(broken));
    }
  }

  private static String oneLine(JacksonException broken) {
    String where =
        broken.getLocation() == null
            ? ""
            : " at line "
                + broken.getLocation().getLineNr()
                + ", column "
                + broken.getLocation().getColumnNr();
    return String.valueOf(broken.getOriginalMessage()).replaceAll("\\s+", " ") + where;
  }

  private static Machine machine(Fields file) {
    if (file.number("v", VERSION, VERSION).isEmpty()) {
      throw new Refused("v: expected the file's version, which is " + VERSION);
    }
    Machine.Driver driver = driver(file);
    boolean hangs = file.flag("hang").orElse(false);
    Optional<String> seed = file.text("seed");
    Optional<String> profile = file.text("profile");
    Optional<List<Fields>> devices = file.objects("devices");
    Optional<Fields> overrides = file.object("overrides");
    file.refuseOthers();
    if (profile.isPresent() == devices.isPresent()) {
      throw new Refused("expected either profile or devices");
    }
    GpuFields gpus = new GpuFields(seed, overrides(overrides));
    List<SimulatedGpu> all = gpus.read(devices.orElseGet(() -> profile(profile.orElseThrow())));
    gpus.refuseUnused();
    return new Machine(driver, hangs, all);
  }

  private static Machine.Driver driver(Fields file) {
    String word = file.text("driver").orElse("loaded");
    return switch (word) {
      case "loaded" -> Machine.Driver.LOADED;
      case "not-loaded" -> Machine.Driver.NOT_LOADED;
      case "mismatch" -> Machine.Driver.MISMATCH;
      default -> throw file.expected("driver", "loaded, not-loaded or mismatch", word);
    };
  }

  private static List<Fields> profile(String name) {
    String text =
        Profiles.text(name)
            .orElseThrow(
                () ->
                    new Refused("profile: expected one of " + Profiles.NAMES + " but was " + name));
    Fields profile = Fields.of(JSON.readTree(text), "profile " + name);
    profile.number("v", VERSION, VERSION);
    List<Fields> devices = profile.objects("devices").orElseThrow();
    profile.refuseOthers();
    return devices;
  }

  private static Map<String, Fields> overrides(Optional<Fields> overrides) {
    Map<String, Fields> byName = new HashMap<>();
    Set<String> names = overrides.map(Fields::names).orElse(new HashSet<>());
    for (String name : names) {
      byName.put(name, overrides.orElseThrow().object(name).orElseThrow());
    }
    return byName;
  }
}
