/**
 * Some members of an object, as they are, named in one or more lists. A wrapper that narrows, audits or guards names with
 * them each member that it does not change. It never spreads what it wraps: the compiler then refuses a wrapper that
 * forgets a new member.
 */
export function passedOn<Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: readonly (readonly Name[])[]
): Pick<Whole, Name> {
  return Object.fromEntries(names.flat().map((name) => [name, whole[name]])) as Pick<Whole, Name>
}
