import { useSession } from './queries.ts'

/** The rights that the roles of the caller give in one place. The server decides; the console leaves out what it would refuse. */
type Rights = {
  /** Keys, webhooks, attributes, settings, people and the audit log are shown. */
  oversees: boolean
  /** All of that may be changed. */
  changes: boolean
}

/** Whether the caller may see more than one organization. */
export function useHasSeveral(): boolean {
  const places = new Set(useSession().data?.roles.map(({ organization }) => organization))
  return places.size > 1 || places.has(null)
}

/** `organization`: null for the deployment, whose roles hold in every organization. */
export function useRights(organization: number | null): Rights {
  const held = useSession().data?.roles ?? []
  const roles = held
    .filter((each) => each.organization === null || each.organization === organization)
    .map(({ role }) => role)
  const changes = roles.includes('operator') || roles.includes('administrator')
  return { changes, oversees: changes || roles.includes('support') }
}
