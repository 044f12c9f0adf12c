// The program: words in, exit status out.
import Glibc
import LarderCLI

let arguments = CommandLineTool.words
let environment = CommandLineTool.environment
CommandLineTool.prepareProcess(arguments)
Task.detached {
    let status = await CommandLineTool.standard.run(
        arguments, environment: environment, console: .standard(environment: environment))
    exit(status)
}
// Not `await` here: an asynchronous main ends in dispatch_main, whose thread waits with every signal unblocked, and
// SIGTERM would end the process instead of reaching the daemon.
while true { pause() }
