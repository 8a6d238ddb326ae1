import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common'
import { CurrentOrganization } from '../auth/authenticated.ts'
import { Organization } from '../auth/organization.entity.ts'
import { SubscriptionGuard } from '../auth/subscription.guard.ts'
import { HistoryQuery } from '../positions/history-query.dto.ts'
import type { PositionDto } from '../positions/position.dto.ts'
import { PositionsService } from '../positions/positions.service.ts'
import type { ObjectDetailDto, ObjectDto } from './object.dto.ts'
import { ObjectIdPipe } from './object-id.pipe.ts'
import { ObjectsService } from './objects.service.ts'

@Controller('objects')
export class ObjectsController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly positions: PositionsService,
  ) {}

  @Get()
  list(@CurrentOrganization() organization: Organization): Promise<ObjectDto[]> {
    return this.objects.list(organization)
  }

  @Get(':id')
  detail(
    @CurrentOrganization() organization: Organization,
    @Param('id', ObjectIdPipe) id: number,
  ): Promise<ObjectDetailDto> {
    return this.objects.detail(organization, id)
  }

  @Get(':id/positions')
  @UseGuards(SubscriptionGuard)
  history(
    @CurrentOrganization() organization: Organization,
    @Param('id', ObjectIdPipe) id: number,
    @Query() query: HistoryQuery,
  ): Promise<PositionDto[]> {
    return this.positions.history(organization, id, query)
  }
}
