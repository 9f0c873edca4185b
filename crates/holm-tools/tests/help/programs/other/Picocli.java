// picocli.
import java.io.File;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.*;

@Command(name = "picocli-sum", mixinStandardHelpOptions = true, version = "1.4.0", description = "Prints the checksum of a file.", showDefaultValues = true)
public class Picocli implements Runnable {
    enum How { MD5, SHA1 }
    @Parameters(index = "0", description = "The file to sum.") File file;
    @Parameters(index = "1..*", description = "More files.") List<File> more;
    @Option(names = {"-a", "--algorithm"}, description = "One of ${COMPLETION-CANDIDATES}.", defaultValue = "SHA1") How how;
    @Option(names = {"-k", "--key"}, required = true, paramLabel = "KEY", description = "Key to use.") String key;
    @Option(names = "--skip", description = "Names to leave out.", arity = "1..*") String[] skip;
    @Option(names = "--cache", negatable = true, description = "Keeps sums.") boolean cache;
    public void run() { System.out.println(file + " " + how); }
    public static void main(String[] args) { System.exit(new CommandLine(new Picocli()).execute(args)); }
}
