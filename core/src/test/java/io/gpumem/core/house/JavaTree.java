package io.gpumem.core.house;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a Java source declares, as the JDK's own compiler parses it ({@code com.sun.source}).
 *
 * <p>The compiler is called by reflection because this test belongs to core, whose module reads
 * {@code java.base} and nothing else. Opening that fence for a test would open it for core's other
 * tests, and then for core's code by mistake.
 */
final class JavaTree {

  /** A type or a method (constructors included), from its first modifier to its last brace. */
  record Declaration(Kind kind, String name, int start, int firstLine, int lastLine, int depth) {

    int lines() {
      return lastLine - firstLine + 1;
    }
  }

  enum Kind {
    TYPE,
    METHOD
  }

  private static final Class<?> TREE = type("com.sun.source.tree.Tree");
  private static final Class<?> CLASS_TREE = type("com.sun.source.tree.ClassTree");
  private static final Class<?> METHOD_TREE = type("com.sun.source.tree.MethodTree");
  private static final Class<?> UNIT_TREE = type("com.sun.source.tree.CompilationUnitTree");
  private static final Class<?> TASK = type("com.sun.source.util.JavacTask");

  /** The accessors that lead from a kind of node to its children. */
  private static final ClassValue<List<Method>> CHILDREN =
      new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> node) {
          return childrenOf(node);
        }
      };

  private final Object unit;
  private final Object positions;
  private final Object lineMap;
  private final List<Declaration> declarations = new ArrayList<>();

  private JavaTree(Object unit, Object positions) {
    this.unit = unit;
    this.positions = positions;
    this.lineMap = call(UNIT_TREE, unit, "getLineMap");
  }

  /** Every named type and every method of the source, outer before inner. */
  static List<Declaration> declarations(SourceFile file) {
    var compiler = callStatic("javax.tools.ToolProvider", "getSystemJavaCompiler");
    var task =
        call(
            type("javax.tools.JavaCompiler"),
            compiler,
            "getTask",
            null,
            null,
            (Object) listener(),
            List.of("-proc:none"),
            null,
            List.of(fileObject(file)));
    var units = (Iterable<?>) call(TASK, task, "parse");
    var trees = callStatic("com.sun.source.util.Trees", "instance", task);
    var positions = call(type("com.sun.source.util.Trees"), trees, "getSourcePositions");
    var unit = Objects.requireNonNull(units.iterator().next());
    var tree = new JavaTree(unit, positions);
    tree.walk(unit, 0);
    return List.copyOf(tree.declarations);
  }

  private void walk(Object node, int depth) {
    int inside = depth;
    if (CLASS_TREE.isInstance(node)) {
      add(Kind.TYPE, call(CLASS_TREE, node, "getSimpleName").toString(), node, depth);
      inside++;
    } else if (METHOD_TREE.isInstance(node)) {
      add(Kind.METHOD, call(METHOD_TREE, node, "getName").toString(), node, depth);
      inside++;
    }
    for (var accessor : CHILDREN.get(node.getClass())) {
      var child = invoke(accessor, node);
      if (TREE.isInstance(child)) {
        walk(child, inside);
      } else if (child instanceof List<?> children) {
        for (var each : children) {
          if (TREE.isInstance(each)) {
            walk(each, inside);
          }
        }
      }
    }
  }

  /** An anonymous class has no name and is no declaration; its methods are. */
  private void add(Kind kind, String name, Object node, int depth) {
    if (!name.isEmpty()) {
      var start = position("getStartPosition", node);
      var end = position("getEndPosition", node);
      declarations.add(new Declaration(kind, name, start, line(start), line(end - 1), depth));
    }
  }

  private int position(String which, Object node) {
    var type = type("com.sun.source.util.SourcePositions");
    return Math.toIntExact((Long) call(type, positions, which, unit, node));
  }

  private int line(int position) {
    var type = type("com.sun.source.tree.LineMap");
    return Math.toIntExact((Long) call(type, lineMap, "getLineNumber", (long) position));
  }

  private static List<Method> childrenOf(Class<?> node) {
    var found = new ArrayList<Method>();
    for (Class<?> type = node; type != null; type = type.getSuperclass()) {
      for (var shape : type.getInterfaces()) {
        if (TREE.isAssignableFrom(shape)) {
          Arrays.stream(shape.getMethods()).filter(JavaTree::leadsToTrees).forEach(found::add);
        }
      }
    }
    return found.stream().distinct().toList();
  }

  private static boolean leadsToTrees(Method method) {
    return method.getParameterCount() == 0
        && (TREE.isAssignableFrom(method.getReturnType())
            || List.class.isAssignableFrom(method.getReturnType()));
  }

  /** Swallows the parser's complaints: what does not parse fails in the compiler, not here. */
  private static Object listener() {
    return proxy("javax.tools.DiagnosticListener", (self, method, arguments) -> null);
  }

  private static Object fileObject(SourceFile file) {
    var kind = type("javax.tools.JavaFileObject$Kind");
    var source =
        Arrays.stream(Objects.requireNonNull(kind.getEnumConstants()))
            .filter(constant -> constant.toString().equals("SOURCE"))
            .findFirst()
            .orElseThrow();
    return proxy(
        "javax.tools.JavaFileObject",
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getCharContent" -> file.text();
              case "getKind" -> source;
              case "getName", "toString" -> file.path();
              case "toUri" -> URI.create("string:///" + file.path());
              case "isNameCompatible" -> true;
              case "getLastModified" -> 0L;
              case "hashCode" -> System.identityHashCode(self);
              case "equals" -> self == Objects.requireNonNull(arguments)[0];
              case "getNestingKind", "getAccessLevel" -> null;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private static Object proxy(String name, InvocationHandler handler) {
    var loader = JavaTree.class.getClassLoader();
    return Proxy.newProxyInstance(loader, new Class<?>[] {type(name)}, handler);
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException absent) {
      throw new IllegalStateException("expected a JDK with its compiler", absent);
    }
  }

  private static Object callStatic(String type, String name, @Nullable Object... arguments) {
    return Objects.requireNonNull(invoke(method(type(type), name, arguments), null, arguments));
  }

  private static Object call(
      Class<?> type, Object target, String name, @Nullable Object... arguments) {
    return Objects.requireNonNull(invoke(method(type, name, arguments), target, arguments));
  }

  /** The one method of the name that takes these arguments; a primitive takes any. */
  private static Method method(Class<?> type, String name, @Nullable Object... arguments) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getName().equals(name) && takes(method, arguments))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("expected " + type + " to have " + name));
  }

  private static boolean takes(Method method, @Nullable Object... arguments) {
    var types = method.getParameterTypes();
    return types.length == arguments.length
        && IntStream.range(0, types.length)
            .allMatch(
                i ->
                    arguments[i] == null
                        || types[i].isPrimitive()
                        || types[i].isInstance(arguments[i]));
  }

  private static @Nullable Object invoke(
      Method method, @Nullable Object target, @Nullable Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException("calling the compiler's " + method, broken);
    }
  }
}
