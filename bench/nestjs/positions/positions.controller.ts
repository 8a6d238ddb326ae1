import { Controller, Get, Query, UseGuards } from '@nestjs/common'
import { CurrentOrganization } from '../auth/authenticated.ts'
import { Organization } from '../auth/organization.entity.ts'
import { SubscriptionGuard } from '../auth/subscription.guard.ts'
import { LatestQuery } from './latest-query.dto.ts'
import type { PositionDto } from './position.dto.ts'
import { PositionsService } from './positions.service.ts'

@Controller('positions')
@UseGuards(SubscriptionGuard)
export class PositionsController {
  constructor(private readonly positions: PositionsService) {}

  @Get('latest')
  latest(
    @CurrentOrganization() organization: Organization,
    @Query() { ids }: LatestQuery,
  ): Promise<PositionDto[]> {
    return this.positions.latest(organization, ids)
  }
}
