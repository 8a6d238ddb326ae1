/** Output that waits until something else has been written. */
export type HeldOutput = {
  write(lines: string | Buffer): void
  /** Writes the held output, and everything later at once. */
  open(): void
}

export function holdOutput(out: (lines: string | Buffer) => void): HeldOutput {
  let held: (string | Buffer)[] | null = []
  return {
    write(lines) {
      if (held === null) out(lines)
      else held.push(lines)
    },
    open() {
      const lines = held ?? []
      held = null
      for (const each of lines) out(each)
    },
  }
}
