import { change } from '../api/client.ts'
import type { PlaceKind } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { KINDS, type Place } from '../ui/place-kinds.ts'

type DeletePlaceProps = {
  organization: OrganizationSummary
  kind: PlaceKind
  place: Place
  onClose: () => void
  onDeleted?: () => void
}

export function DeletePlace({ organization, kind, place, onClose, onDeleted }: DeletePlaceProps) {
  return (
    <Confirm
      title={t('Delete {{name}}?', { name: place.name })}
      action={KINDS[kind].delete}
      onClose={onClose}
      onConfirm={async () => {
        await change('DELETE', `/organizations/${organization.id}/${kind}/${place.id}`)
        onDeleted?.()
      }}
      refreshes={[['organization', organization.id, 'places'], ['audit']]}
      done={t('{{name}} was deleted.', { name: place.name })}
    >
      <p>
        {t(
          'Programs can no longer find this place. This cannot be undone. To be able to import it again, export the list first.',
        )}
      </p>
    </Confirm>
  )
}
