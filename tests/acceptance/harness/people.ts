import { type Operator, operatorBy, PASSWORD, useLink } from './admin.ts'

/** A person or a program, and what an operator knows of it. */
export type Known = Operator & { id: number; email: string; role: string; cookie?: string }

let made = 0

/** Where somebody has a role: the path of the deployment (empty), or of an organization. */
export const placeOf = (organization: number | null) =>
  organization === null ? '' : `/organizations/${organization}`

/** Invites somebody who then makes an account, and is signed in. */
export async function newPerson(
  origin: () => string,
  operator: Operator,
  role: string,
  organization: number | null,
): Promise<Known> {
  made += 1
  const email = `${role}${made}@example.com`
  const invitation = { email, role }
  const { secret } = await operator.post(`${placeOf(organization)}/invitations`, invitation)
  const cookie = await useLink(origin(), secret, { name: `A ${role}`, password: PASSWORD })
  const person = operatorBy(origin, { cookie })
  const { account } = await person.get('/session')
  return { ...person, id: account.id, email, role, cookie }
}

/** A program with a token that somebody issues. */
export async function newProgram(
  origin: () => string,
  issuer: Operator,
  role: string,
  organization: number | null,
  more: object = {},
) {
  const body = { name: 'a program', role, ...more }
  const { token, secret } = await issuer.post(`${placeOf(organization)}/tokens`, body)
  const program = operatorBy(origin, { authorization: `Bearer ${secret}` })
  return { ...program, token, id: token.id as number, email: '', role }
}
