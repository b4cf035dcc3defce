package io.gpumem.core.house;

import io.gpumem.core.house.JavaTree.Declaration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The repository as the rules see it: every path, and the text of every text file. What git ignores
 * and repositories inside this one are not part of it. Git itself is not asked, so that the rules
 * hold in an unpacked archive too.
 */
record Repository(
    Set<String> paths, List<SourceFile> files, Map<SourceFile, List<Declaration>> parsed) {

  /** A made-up repository, for the rules' own tests. */
  static Repository of(SourceFile... files) {
    var paths = new TreeSet<String>();
    for (var file : files) {
      paths.add(file.path());
    }
    return new Repository(paths, List.of(files), new ConcurrentHashMap<>());
  }

  /** The repository around the working directory. */
  static Repository here() {
    var start = Path.of("").toAbsolutePath();
    for (var folder = Optional.of(start);
        folder.isPresent();
        folder = Optional.ofNullable(folder.get().getParent())) {
      if (isRoot(folder.get())) {
        return read(folder.get());
      }
    }
    throw new IllegalStateException(
        "expected a folder with .editorconfig and a pom.xml with modules above " + start);
  }

  private static boolean isRoot(Path folder) {
    var pom = folder.resolve("pom.xml");
    try {
      return Files.exists(folder.resolve(".editorconfig"))
          && Files.exists(pom)
          && Files.readString(pom).contains("<modules>");
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  static Repository read(Path root) {
    var paths = new TreeSet<String>();
    var files = new ArrayList<SourceFile>();
    try {
      for (var found : walk(root)) {
        var path = root.relativize(found).toString().replace('\\', '/');
        paths.add(path);
        text(found).ifPresent(text -> files.add(new SourceFile(path, text)));
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return new Repository(paths, files, new ConcurrentHashMap<>());
  }

  private static List<Path> walk(Path root) throws IOException {
    var ignored = ignored(root);
    var found = new ArrayList<Path>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean foreign = !folder.equals(root) && Files.exists(folder.resolve(".git"));
            return foreign || isGit(folder) || ignored.contains(root.relativize(folder))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            var isOurs = !isGit(file) && !ignored.contains(root.relativize(file));
            if (attributes.isRegularFile() && isOurs) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }

  /** Git's own folder; in a linked work tree it is a file. */
  private static boolean isGit(Path path) {
    return path.endsWith(".git");
  }

  private static Ignored ignored(Path root) throws IOException {
    var list = root.resolve(".gitignore");
    return Ignored.from(Files.exists(list) ? Files.readAllLines(list) : List.of("target/"));
  }

  /** Empty for a binary file: one that is not UTF-8 or holds a NUL. */
  private static Optional<String> text(Path file) throws IOException {
    try {
      var text = Files.readString(file);
      return text.indexOf('\0') >= 0 ? Optional.empty() : Optional.of(text);
    } catch (CharacterCodingException binary) {
      return Optional.empty();
    }
  }

  Stream<SourceFile> java() {
    return files.stream().filter(SourceFile::isJava);
  }

  Stream<SourceFile> mainJava() {
    return files.stream().filter(SourceFile::isMain);
  }

  /** What the Java file declares. Parsing is most of the rules' time, so each is parsed once. */
  List<Declaration> declarations(SourceFile file) {
    return parsed.computeIfAbsent(file, JavaTree::declarations);
  }

  /** Whether a file or a folder with files has this path. */
  boolean contains(String path) {
    return paths.contains(path) || paths.stream().anyMatch(other -> other.startsWith(path + "/"));
  }
}
