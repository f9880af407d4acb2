"""From a round's hands to the claims that its pot is asked to pay (rules 5.7–5.11)."""

from __future__ import annotations

from controller.core.cards import STRENGTH
from controller.core.money import Minor
from controller.core.potwords import Award, Claim, FixedClaim, Params, ShareClaim
from controller.core.state import Prize, Round, Table


def claim_of(round: Round, params: Params) -> Claim:
    """What the declared hands of a sealed round claim; a bet neither declared nor forfeited has lost (5.15)."""
    rules = {rule.hand: rule for rule in params.prizes}
    fixed: list[FixedClaim] = []
    winners: dict[str, list[tuple[int, Minor | None]]] = {}
    for seat, bet in enumerate(round.bets, start=1):
        rule = rules.get(bet.hand) if bet.hand is not None and bet.bet and bet.forfeit is None else None
        if rule is None:
            continue
        if rule.times is not None:
            fixed.append(FixedClaim(seat, rule.hand, Minor(rule.times * bet.bet)))
        else:
            cap = None if rule.cap_times is None else Minor(rule.cap_times * bet.bet)
            winners.setdefault(rule.hand, []).append((seat, cap))
    shares = [
        ShareClaim(rule.hand, rule.share, tuple(winners[rule.hand]))
        for rule in sorted(params.prizes, key=lambda rule: STRENGTH[rule.hand])
        if rule.share is not None and rule.hand in winners
    ]
    return Claim(tuple(fixed), tuple(shares))


def prizes_of(table: Table, awards: tuple[Award, ...]) -> tuple[Prize, ...]:
    """The awards as prizes, each unapproved where a supervisor must approve it (5.11), else payable."""
    round, threshold = table.round, table.pot.params.approve_from
    assert round is not None
    return tuple(
        Prize(
            seat=award.seat,
            hand=award.hand,
            amount=award.amount,
            share=award.share,
            status="unapproved"
            if award.share or award.amount >= threshold or round.bets[award.seat - 1].approval
            else "payable",
            from_main=award.from_main,
            from_reserve=award.from_reserve,
            from_house=award.from_house,
            before=award.before,
            after=award.after,
        )
        for award in awards
    )
