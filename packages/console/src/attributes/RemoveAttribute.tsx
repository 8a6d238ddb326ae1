import { change } from '../api/client.ts'
import type { Attribute } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'

type RemoveAttributeProps = { organization: number; attribute: Attribute; onClose: () => void }

export function RemoveAttribute({ organization, attribute, onClose }: RemoveAttributeProps) {
  const { name, label } = attribute
  return (
    <Confirm
      title={t('Remove {{label}}?', { label })}
      action={t('Remove attribute')}
      onClose={onClose}
      onConfirm={() =>
        change('POST', `/organizations/${organization}/attributes/remove`, { names: [name] })
      }
      refreshes={[['organization', organization]]}
      done={t('{{label}} was removed.', { label })}
    >
      <p>
        {t(
          'API responses will no longer include this attribute. Stored values are kept: a new attribute with the same sources shows them again.',
        )}
      </p>
    </Confirm>
  )
}
