/** A statement that each connection prepares once, under its name. */
export type Statement = { readonly name: string; readonly text: string }

const byText = new Map<string, Statement>()

/** The statement of this text: one and the same for whoever writes it. */
export function statement(text: string): Statement {
  const oneLine = text.replace(/\s+/g, ' ').trim()
  let standing = byText.get(oneLine)
  if (standing === undefined) {
    standing = { name: `fg_${byText.size}`, text: oneLine }
    byText.set(oneLine, standing)
  }
  return standing
}

/** Every statement there is by now. */
export function statements(): readonly Statement[] {
  return [...byText.values()]
}
