import { useOrganizationNames } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { MayChangeHere } from '../ui/changing.tsx'
import { useTitle } from '../ui/page/title.ts'
import { InvitationsCard } from './InvitationsCard.tsx'
import { PeopleCard } from './PeopleCard.tsx'
import { SignInCard } from './SignInCard.tsx'
import { TokensCard } from './TokensCard.tsx'

/** All people of the server, with their roles everywhere. */
export function PeoplePage() {
  useTitle(t('People'))
  const { changes } = useRights(null)
  const nameOf = useOrganizationNames()
  return (
    <MayChangeHere value={changes}>
      <h1>{t('People')}</h1>
      <PeopleCard
        organization={null}
        nameOf={nameOf}
        lead={t('Everyone who can sign in, with their roles.')}
      />
      <InvitationsCard organization={null} nameOf={nameOf} />
      <TokensCard organization={null} nameOf={nameOf} />
      <SignInCard />
    </MayChangeHere>
  )
}

/** The people with a role in an organization. */
export function OrganizationPeople({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('People'), organization.name)
  const { id, name } = organization
  const nameOf = () => name
  return (
    <>
      <h1>{t('People')}</h1>
      <PeopleCard
        organization={id}
        nameOf={nameOf}
        lead={t('People with a role in this organization. Operators and support have access too.')}
      />
      <InvitationsCard organization={id} nameOf={nameOf} />
      <TokensCard organization={id} nameOf={nameOf} />
    </>
  )
}
