import { saveMemory } from './memory.ts'
import { pullCommand } from './pull-command.ts'

/** Runs the command in this process until SIGINT or SIGTERM, and sets its exit code. */
export async function main(program: string, args: string[]): Promise<void> {
  // Every user of the machine can see a command line, and a key or the password of a database in it.
  if (args.some((arg) => /^--(?:api-key|to)/.test(arg))) process.title = program
  saveMemory()
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  try {
    const { env, stdout, stderr } = process
    const { signal } = stopping
    process.exitCode = await pullCommand(args, { program, env, stdout, stderr, signal })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop)
  }
}
