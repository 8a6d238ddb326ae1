import { userInfo } from 'node:os'

/** The actor in the audit log for changes by commands, with the user of the operating system. */
export function commandLineActor(): string {
  return `command line, user ${userName()}`
}

/** In a container the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}
