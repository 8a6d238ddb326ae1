import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { change } from '../api/client.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { forgetUnsaved } from '../ui/page/navigation.ts'

type DeleteObjectProps = { organization: OrganizationSummary; object: FleetObject }

/** The end of a vehicle’s settings. */
export function DeleteObject({ organization, object }: DeleteObjectProps) {
  const [asked, setAsked] = useState(false)
  const [, navigate] = useLocation()
  return (
    <Card
      danger
      title={t('Delete vehicle')}
      lead={t('Deletes {{name}} and all its positions.', { name: object.name })}
    >
      <div className="row">
        <Button look="danger" onClick={() => setAsked(true)}>
          {t('Delete vehicle…')}
        </Button>
      </div>
      {asked && (
        <ConfirmDelete
          organization={organization}
          object={object}
          onClose={() => setAsked(false)}
          onDeleted={() => {
            forgetUnsaved()
            navigate(`/organizations/${organization.id}/objects`)
          }}
        />
      )}
    </Card>
  )
}

type ConfirmDeleteProps = DeleteObjectProps & { onClose(): void; onDeleted?(): void }

/** Deletes a vehicle after a question. */
export function ConfirmDelete({ organization, object, onClose, onDeleted }: ConfirmDeleteProps) {
  const client = useQueryClient()
  return (
    <Confirm
      title={t('Delete {{name}}?', { name: object.name })}
      action={t('Delete vehicle')}
      onClose={onClose}
      onConfirm={async () => {
        await change('DELETE', `/organizations/${organization.id}/objects/${object.id}`)
        onDeleted?.()
        client.removeQueries({ queryKey: ['organization', organization.id, 'object', object.id] })
      }}
      refreshes={[['organization', organization.id]]}
      done={t('{{name}} was deleted.', { name: object.name })}
    >
      <p>{t('This also deletes all its positions. Only a backup can restore them.')}</p>
      <p>
        {organization.create_objects
          ? t(
              'If its tracker keeps sending, the next packet creates a new, empty vehicle with the same ident. To prevent this, revoke the tracker’s feed token, or turn off “Create objects automatically”.',
            )
          : t('If its tracker keeps sending, its packets are rejected.')}
      </p>
    </Confirm>
  )
}
