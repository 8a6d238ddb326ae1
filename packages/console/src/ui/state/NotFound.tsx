import { t } from '../../language/text.ts'
import { ButtonLink } from '../Button.tsx'
import { useTitle } from '../page/title.ts'
import { Empty } from './Empty.tsx'

export function NotFound() {
  useTitle(t('Not found'))
  return (
    <>
      <h1>{t('Not found')}</h1>
      <Empty
        title={t('This page does not exist')}
        action={
          <ButtonLink to="/" look="primary">
            {t('All organizations')}
          </ButtonLink>
        }
      >
        {t('Check the address, or go back to the list.')}
      </Empty>
    </>
  )
}
