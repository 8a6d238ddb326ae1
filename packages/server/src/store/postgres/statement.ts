/** A statement that each connection prepares once under its name. */
export type Statement = { readonly name: string; readonly text: string }

const byText = new Map<string, Statement>()

/** The statement for a text. The same text always gives the same statement. */
export function statement(text: string): Statement {
  const oneLine = text.replace(/\s+/g, ' ').trim()
  let standing = byText.get(oneLine)
  if (standing === undefined) {
    standing = { name: `fg_${byText.size}`, text: oneLine }
    byText.set(oneLine, standing)
  }
  return standing
}

/** All statements so far. */
export function statements(): readonly Statement[] {
  return [...byText.values()]
}
