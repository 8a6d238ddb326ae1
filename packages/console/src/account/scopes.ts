import type { NewToken, Token } from '../api/types.ts'
import { optionsOf } from '../ui/form/Field.tsx'

export type Scope = Token['scope']

/** The narrowest first. */
export const SCOPE_CHOICES = optionsOf<Scope>({
  read: 'Read everything',
  organization: 'Manage one organization',
  all: 'Do everything',
})

export const SCOPE_HELP: Record<Scope, string> = {
  read: 'It reads everything in this console, of all organizations, and changes nothing.',
  organization: 'It reads, changes and can delete one organization, and sees no other.',
  all: 'It can do everything that you can do in this console.',
}

/** The rights of a token in words. `nameOf`: the name of an organization, if known. */
export function grantInWords(
  { scope, organization }: Token,
  nameOf: (organization: number) => string | undefined,
): string {
  if (organization === null || organization === undefined) {
    return SCOPE_CHOICES.find(([each]) => each === scope)![1]
  }
  return `Manage ${nameOf(organization) ?? `organization ${organization}`}`
}

/** `chosen`: the id of an organization as it was chosen, empty where none was. */
export function reachOf(scope: Scope, chosen: string): Pick<NewToken, 'scope' | 'organization'> {
  return scope === 'organization' ? { scope, organization: Number(chosen) } : { scope }
}
