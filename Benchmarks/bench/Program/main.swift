import Foundation

exit(await Bench.run(Array(CommandLine.arguments.dropFirst())))
