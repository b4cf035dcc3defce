package io.gpumem.plugin.nvml.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MachineFileTest {

  /** {@code '} stands for the JSON's quotation mark and {@code |} parts text from refusal. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          [1]                                                     | the file: expected an object
          {}                                                      | v: expected the file's version, which is 1
          {'v':2,'profile':'t4'}                                  | v: expected a whole number from 1 to 1 but was 2
          {'v':1}                                                 | expected either profile or devices
          {'v':1,'profile':'t4','devices':[]}                     | expected either profile or devices
          {'v':1,'profile':'../t4'}                               | profile: expected one of [card-16gib, h200, h200-x2, mig-h200, mixed, t4] but was ../t4
          {'v':1,'profile':'t4','sead':'n1'}                      | unknown key sead
          {'v':1,'profile':'t4','driver':'gone'}                  | driver: expected loaded, not-loaded or mismatch but was gone
          {'v':1,'profile':'t4','hang':'yes'}                     | hang: expected true or false but was "yes"
          {'v':1,'profile':'t4','overrides':{'1':{}}}             | overrides.1: there is no such device
          {'v':1,'profile':'t4','overrides':{'0':{'helth':'x'}}}  | unknown key overrides.0.helth
          {'v':1,'profile':'t4','overrides':{'0':{'health':'x'}}} | overrides.0.health: expected working, broken, lost or removed but was x
          {'v':1,'profile':'t4','overrides':{'0':{'why':'x'}}}    | overrides.0.why: expected health beside it
          {'v':1,'profile':'t4','overrides':{'0':{'used':'16Gi'}}}| expected reserved and used within the memory of 16106127360 bytes but was 268435456 and 17179869184
          {'v':1,'profile':'mig-h200','overrides':{'0:0':{'health':'lost'}}} | overrides.0:0.health: a MIG device is lost with its GPU only
          {'v':1,'devices':[{}]}                                  | devices[0].memory: expected a value but there is none
          {'v':1,'devices':[{'memory':'16G'}]}                    | devices[0].memory: expected bytes, or a text such as 615Mi or 16Gi but was "16G"
          {'v':1,'devices':[{'memory':-1}]}                       | devices[0].memory: expected bytes, or a text such as 615Mi or 16Gi but was -1
          {'v':1,'devices':[{'memory':'16Gi','modle':'x'}]}       | unknown key devices[0].modle
          {'v':1,'devices':[{'memory':'16Gi','uuid':'MIG-1'}]}    | devices[0].uuid: expected a UUID that begins with GPU- but was MIG-1
          {'v':1,'devices':[{'memory':'16Gi','bus':'6'}]}         | devices[0].bus: expected such as 0000:65:00.0 but was 6
          {'v':1,'devices':[{'memory':'16Gi','minor':0},{'memory':'16Gi','minor':0}]} | expected each device once but was twice: minor 0
          {'v':1,'devices':[{'memory':'16Gi','mig':[{'memory':'8Gi','gpuInstance':1}]}]} | devices[0].mig[0].profile: expected a value but there is none
          {'v':1,'devices':[{'memory':'16Gi','mig':[{'memory':'8Gi','profile':'1g.8gb','gpuInstance':1,'slto':1}]}]} | unknown key devices[0].mig[0].slto
          """)
  void refusesWithTheKeyThatIsAtFault(String text, String why) {
    assertEquals(new MachineFile.Parsed.Refusal(why), MachineFile.parse(text.replace('\'', '"')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {'v':1,'profile':'t4'
          {'v':1,'v':1,'profile':'t4'}
          {'v':1,'profile':'t4'} {}
          no JSON
          """)
  void refusesWhatIsNoJsonInOneLine(String text) {
    MachineFile.Parsed.Refusal refusal =
        assertInstanceOf(
            MachineFile.Parsed.Refusal.class, MachineFile.parse(text.replace('\'', '"')));
    assertEquals(1, refusal.why().lines().count(), refusal::why);
  }

  @Test
  void refusesAnEmptyFile() {
    assertInstanceOf(MachineFile.Parsed.Refusal.class, MachineFile.parse(""));
  }

  @Test
  void readsAmountsAsBytesOrAsText() {
    for (String amount : List.of("1073741824", "\"1Gi\"", "\"1024Mi\"")) {
      assertEquals(
          OptionalLong.of(1L << 30),
          machine("{\"v\":1,\"devices\":[{\"memory\":" + amount + "}]}")
              .gpus()
              .getFirst()
              .memory()
              .total());
    }
  }

  @Test
  void takesAnOverrideByUuidAsByPosition() {
    String uuid = "GPU-00000000-0000-4000-8000-000000000020";
    String change = "\":{\"used\":\"1Gi\",\"health\":\"broken\",\"why\":\"x\"}}}";
    assertEquals(
        machine("{\"v\":1,\"profile\":\"t4\",\"overrides\":{\"0" + change),
        machine("{\"v\":1,\"profile\":\"t4\",\"overrides\":{\"" + uuid + change));
  }

  /** What the page promises has to be taken; it is where people copy from. */
  @Test
  void takesEveryExampleOfThePage() throws IOException {
    String page = Files.readString(Path.of("../docs/simulated-machines.md"));
    List<String> examples =
        Pattern.compile("```json\n(.*?)```", Pattern.DOTALL)
            .matcher(page)
            .results()
            .map((MatchResult block) -> block.group(1))
            .toList();
    assertEquals(false, examples.isEmpty());
    examples.forEach(example -> machine(example));
  }

  private static Machine machine(String text) {
    return switch (MachineFile.parse(text)) {
      case MachineFile.Parsed.Good(var machine) -> machine;
      case MachineFile.Parsed.Refusal(var why) -> throw new AssertionError(why + " in " + text);
    };
  }
}
