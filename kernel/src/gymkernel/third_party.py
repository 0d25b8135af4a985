"""Environment ids of other packages, used only for unknown ids; stamped by tools/sync.py."""

from __future__ import annotations

from typing import Final

__all__ = ["BRIDGES", "ENVS", "MODULES", "REGISTERING"]

_IDS: Final[dict[str, str]] = {
    '"gymkernel[aloha]"': """
        gym_aloha/* gym_aloha/AlohaInsertion-v0
    """,
    '"gymkernel[anytrading]"': """
        forex-v0 stocks-v0
    """,
    '"gymkernel[atari]"': """
        ALE/* ALE/Pong-v5 *NoFrameskip-v[04] Adventure-v0 Adventure-v4 AirRaid-v0 AirRaid-v4 Alien-v0 Alien-v4 Amidar-v0
        Amidar-v4 Assault-v0 Assault-v4 Asterix-v0 Asterix-v4 Asteroids-v0 Asteroids-v4 Atlantis-v0 Atlantis-v4
        BankHeist-v0 BankHeist-v4 BattleZone-v0 BattleZone-v4 BeamRider-v0 BeamRider-v4 Berzerk-v0 Berzerk-v4 Bowling-v0
        Bowling-v4 Boxing-v0 Boxing-v4 Breakout-v0 Breakout-v4 Carnival-v0 Carnival-v4 Centipede-v0 Centipede-v4
        ChopperCommand-v0 ChopperCommand-v4 CrazyClimber-v0 CrazyClimber-v4 Defender-v0 Defender-v4 DemonAttack-v0
        DemonAttack-v4 DoubleDunk-v0 DoubleDunk-v4 ElevatorAction-v0 ElevatorAction-v4 Enduro-v0 Enduro-v4
        FishingDerby-v0 FishingDerby-v4 Freeway-v0 Freeway-v4 Frostbite-v0 Frostbite-v4 Gopher-v0 Gopher-v4 Gravitar-v0
        Gravitar-v4 Hero-v0 Hero-v4 IceHockey-v0 IceHockey-v4 Jamesbond-v0 Jamesbond-v4 JourneyEscape-v0
        JourneyEscape-v4 Kangaroo-v0 Kangaroo-v4 Krull-v0 Krull-v4 KungFuMaster-v0 KungFuMaster-v4 MontezumaRevenge-v0
        MontezumaRevenge-v4 MsPacman-v0 MsPacman-v4 NameThisGame-v0 NameThisGame-v4 Phoenix-v0 Phoenix-v4 Pitfall-v0
        Pitfall-v4 Pong-v0 Pong-v4 Pooyan-v0 Pooyan-v4 PrivateEye-v0 PrivateEye-v4 Qbert-v0 Qbert-v4 Riverraid-v0
        Riverraid-v4 RoadRunner-v0 RoadRunner-v4 Robotank-v0 Robotank-v4 Seaquest-v0 Seaquest-v4 Skiing-v0 Skiing-v4
        Solaris-v0 Solaris-v4 SpaceInvaders-v0 SpaceInvaders-v4 StarGunner-v0 StarGunner-v4 Tennis-v0 Tennis-v4
        TimePilot-v0 TimePilot-v4 Tutankham-v0 Tutankham-v4 UpNDown-v0 UpNDown-v4 Venture-v0 Venture-v4 VideoPinball-v0
        VideoPinball-v4 WizardOfWor-v0 WizardOfWor-v4 YarsRevenge-v0 YarsRevenge-v4 Zaxxon-v0 Zaxxon-v4
    """,
    '"gymkernel[box2d]"': """
        BipedalWalker-v3 BipedalWalkerHardcore-v3 CarRacing-v3 LunarLander-v3 LunarLanderContinuous-v3
    """,
    '"gymkernel[envpool]"': """
        envpool/* envpool/Pong-v5
    """,
    '"gymkernel[flappy-bird]"': """
        FlappyBird-v0
    """,
    '"gymkernel[gym]"': """
        gym/* gym/CartPole-v1
    """,
    '"gymkernel[highway]"': """
        exit-v0 exit-v1 highway-fast-v0 highway-v0 intersection-multi-agent-v0 intersection-multi-agent-v1
        intersection-multi-agent-v2 intersection-v0 intersection-v1 intersection-v2 lane-keeping-v0 merge-generic-v0
        merge-generic-v1 merge-v0 merge-v1 parking-ActionRepeat-v0 parking-parked-v0 parking-v0 racetrack-large-v0
        racetrack-large-v1 racetrack-oval-v0 racetrack-oval-v1 racetrack-v0 racetrack-v1 roundabout-generic-v0
        roundabout-generic-v1 roundabout-v0 roundabout-v1 two-way-v0 u-turn-v0 u-turn-v1
    """,
    '"gymkernel[jax]"': """
        phys2d/CartPole-v0 phys2d/CartPole-v1 phys2d/Pendulum-v0 tabular/Blackjack-v0 tabular/CliffWalking-v0
    """,
    '"gymkernel[metaworld]"': """
        Meta-World/* Meta-World/MT1
    """,
    '"gymkernel[minigrid]"': """
        MiniGrid-* MiniGrid-Empty-5x5-v0 BabyAI-* BabyAI-GoToRedBall-v0
    """,
    '"gymkernel[miniworld]"': """
        MiniWorld-* MiniWorld-Hallway-v0
    """,
    '"gymkernel[mo-gymnasium]"': """
        breakable-bottles-v0 deep-sea-treasure-concave-v0 deep-sea-treasure-mirrored-v0 deep-sea-treasure-v0 fishwood-v0
        four-room-v0 fruit-tree-v0 minecart-deterministic-v0 minecart-rgb-v0 minecart-v0 mo-* resource-gathering-v0
        water-reservoir-v0
    """,
    '"gymkernel[mujoco]"': """
        Ant-v5 HalfCheetah-v5 Hopper-v5 Humanoid-v5 HumanoidStandup-v5 InvertedDoublePendulum-v5 InvertedPendulum-v5
        Pusher-v5 Reacher-v5 Swimmer-v5 Walker2d-v5
    """,
    '"gymkernel[panda]"': """
        PandaFlip-v3 PandaFlipDense-v3 PandaFlipJoints-v3 PandaFlipJointsDense-v3 PandaPickAndPlace-v3
        PandaPickAndPlaceDense-v3 PandaPickAndPlaceJoints-v3 PandaPickAndPlaceJointsDense-v3 PandaPush-v3
        PandaPushDense-v3 PandaPushJoints-v3 PandaPushJointsDense-v3 PandaReach-v3 PandaReachDense-v3
        PandaReachJoints-v3 PandaReachJointsDense-v3 PandaSlide-v3 PandaSlideDense-v3 PandaSlideJoints-v3
        PandaSlideJointsDense-v3 PandaStack-v3 PandaStackDense-v3 PandaStackJoints-v3 PandaStackJointsDense-v3
    """,
    '"gymkernel[pettingzoo]"': """
        pettingzoo/* pettingzoo/butterfly/pistonball_v6
    """,
    '"gymkernel[popgym]"': """
        popgym-* popgym-RepeatPreviousEasy-v0
    """,
    '"gymkernel[pusht]"': """
        gym_pusht/PushT-v0
    """,
    '"gymkernel[robotics]"': """
        AdroitHand* AdroitHandDoor-v1 AntMaze_* AntMaze_UMaze-v5 FetchPickAndPlace* FetchPush* FetchReach* FetchReach-v4
        FetchSlide* FrankaKitchen* FrankaKitchen-v1 HandManipulate* HandManipulateBlock-v1 HandReach* HandReach-v3
        PointMaze_* PointMaze_UMaze-v3
    """,
    '"gymkernel[shimmy]"': """
        dm_control/*-v0 dm_control/cartpole-swingup-v0
    """,
    '"gymkernel[dm-control]"': """
        dm_control/* dm_control/cartpole-balance
    """,
    '"gymkernel[vizdoom]"': """
        Vizdoom* VizdoomBasic-v1
    """,
}

ENVS: Final = {env_id: extra for extra, ids in _IDS.items() for env_id in ids.split()}
"""What to pass to `pip install`, keyed by environment id or by a pattern for ids."""

MODULES: Final[dict[str, str]] = {
    '"gymkernel[aloha]"': "gym_aloha",
    '"gymkernel[anytrading]"': "gym_anytrading",
    '"gymkernel[atari]"': "ale_py",
    '"gymkernel[box2d]"': "Box2D",
    '"gymkernel[envpool]"': "envpool",
    '"gymkernel[flappy-bird]"': "flappy_bird_gymnasium",
    '"gymkernel[gym]"': "gym",
    '"gymkernel[highway]"': "highway_env",
    '"gymkernel[jax]"': "jax",
    '"gymkernel[metaworld]"': "metaworld",
    '"gymkernel[minigrid]"': "minigrid",
    '"gymkernel[miniworld]"': "miniworld",
    '"gymkernel[mo-gymnasium]"': "mo_gymnasium",
    '"gymkernel[mujoco]"': "mujoco",
    '"gymkernel[panda]"': "panda_gym",
    '"gymkernel[pettingzoo]"': "pettingzoo",
    '"gymkernel[popgym]"': "popgym",
    '"gymkernel[pusht]"': "gym_pusht",
    '"gymkernel[robotics]"': "gymnasium_robotics",
    '"gymkernel[shimmy]"': "shimmy",
    '"gymkernel[dm-control]"': "dm_control",
    '"gymkernel[vizdoom]"': "vizdoom",
}
"""The top-level module that each extra installs. With the bridge to Gymnasium, importing it registers environments."""

BRIDGES: Final[dict[str, str]] = dict.fromkeys(_IDS, "gymkernel-bridge-gymnasium") | {
    '"gymkernel[envpool]"': "gymkernel-bridge-envpool",
    '"gymkernel[gym]"': "gymkernel-bridge-gym",
    '"gymkernel[pettingzoo]"': "gymkernel-bridge-pettingzoo",
    '"gymkernel[dm-control]"': "gymkernel-bridge-dm-env",
}
"""The distribution that each extra installs to create the environments of the other package."""

REGISTERING: Final[dict[str, str]] = {
    "vizdoom": "vizdoom.gymnasium_wrapper",
}
"""The module that registers a package's environments, if importing the package itself does not register them."""
