package io.gpumem.core.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoryTest {

  @TempDir private Path root;

  @Test
  void readsWhatGitWouldKeep() throws IOException {
    write(".gitignore", "# outputs\ntarget/\n*.iml\n/build/out/\n");
    write("core/src/A.java", "class A {}");
    write("core/target/B.java", "");
    write("core/core.iml", "");
    write("build/out/c.txt", "");
    write("docs/build/out/d.txt", "kept");
    write(".git/config", "");
    write("nested/.git", "gitdir: elsewhere");
    write("nested/e.txt", "");
    Files.write(root.resolve("logo.png"), new byte[] {(byte) 0x89, 'P', 0, (byte) 0xff});
    var read = Repository.read(root);
    assertEquals(
        Set.of(".gitignore", "core/src/A.java", "docs/build/out/d.txt", "logo.png"), read.paths());
    assertEquals(
        List.of(".gitignore", "core/src/A.java", "docs/build/out/d.txt"),
        read.files().stream().map(SourceFile::path).toList());
  }

  private void write(String path, String text) throws IOException {
    var file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
