// The samples of this folder. Made by scripts/embed-samples; not to be edited by hand.

enum DnDSampleFiles {
    static let equipment: StaticString = #"""
        [
          {
            "index": "backpack", "name": "Backpack", "url": "/api/2014/equipment/backpack",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "adventuring-gear", "name": "Adventuring Gear", "url": "/api/2014/equipment-categories/adventuring-gear"},
            "cost": {"quantity": 2, "unit": "gp"}, "weight": 5, "desc": [], "properties": []
          },
          {
            "index": "club", "name": "Club", "url": "/api/2014/equipment/club", "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "weapon", "name": "Weapon", "url": "/api/2014/equipment-categories/weapon"},
            "cost": {"quantity": 1, "unit": "sp"}, "weight": 2, "desc": [], "properties": []
          },
          {
            "index": "longsword", "name": "Longsword", "url": "/api/2014/equipment/longsword",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "weapon", "name": "Weapon", "url": "/api/2014/equipment-categories/weapon"},
            "cost": {"quantity": 15, "unit": "gp"}, "weight": 3, "desc": [], "properties": []
          },
          {
            "index": "plate-armor", "name": "Plate Armor", "url": "/api/2014/equipment/plate-armor",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "armor", "name": "Armor", "url": "/api/2014/equipment-categories/armor"},
            "cost": {"quantity": 1500, "unit": "gp"}, "weight": 65, "desc": [], "properties": []
          },
          {
            "index": "rope-hempen-50-feet", "name": "Rope, hempen (50 feet)", "url": "/api/2014/equipment/rope-hempen-50-feet",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "adventuring-gear", "name": "Adventuring Gear", "url": "/api/2014/equipment-categories/adventuring-gear"},
            "cost": {"quantity": 1, "unit": "gp"}, "weight": 10, "desc": [], "properties": []
          },
          {
            "index": "torch", "name": "Torch", "url": "/api/2014/equipment/torch", "updated_at": "2026-01-01T00:00:00.000Z",
            "equipment_category": {"index": "adventuring-gear", "name": "Adventuring Gear", "url": "/api/2014/equipment-categories/adventuring-gear"},
            "cost": {"quantity": 1, "unit": "cp"}, "weight": 1, "desc": [], "properties": []
          }
        ]
        """#
    static let monsters: StaticString = #"""
        [
          {
            "index": "aboleth", "name": "Aboleth", "url": "/api/2014/monsters/aboleth", "updated_at": "2026-01-01T00:00:00.000Z",
            "size": "Large", "type": "aberration", "alignment": "lawful evil", "armor_class": [{"type": "natural", "value": 17}],
            "hit_points": 135, "hit_dice": "18d10", "speed": {"walk": "30 ft."}, "challenge_rating": 10, "languages": "",
            "reactions": [], "image": "/api/images/monsters/aboleth.png"
          },
          {
            "index": "adult-red-dragon", "name": "Adult Red Dragon", "url": "/api/2014/monsters/adult-red-dragon",
            "updated_at": "2026-01-01T00:00:00.000Z", "size": "Huge", "type": "dragon", "alignment": "chaotic evil",
            "armor_class": [{"type": "natural", "value": 19}], "hit_points": 256, "hit_dice": "19d12", "speed": {"walk": "30 ft."},
            "challenge_rating": 17, "languages": "", "reactions": [], "image": "/api/images/monsters/adult-red-dragon.png"
          },
          {
            "index": "black-bear", "name": "Black Bear", "url": "/api/2014/monsters/black-bear",
            "updated_at": "2026-01-01T00:00:00.000Z", "size": "Medium", "type": "beast", "alignment": "unaligned",
            "armor_class": [{"type": "natural", "value": 11}], "hit_points": 19, "hit_dice": "3d8", "speed": {"walk": "30 ft."},
            "challenge_rating": 0.5, "languages": "", "reactions": [], "image": "/api/images/monsters/black-bear.png"
          },
          {
            "index": "goblin", "name": "Goblin", "url": "/api/2014/monsters/goblin", "updated_at": "2026-01-01T00:00:00.000Z",
            "size": "Small", "type": "humanoid", "alignment": "neutral evil", "armor_class": [{"type": "natural", "value": 15}],
            "hit_points": 7, "hit_dice": "2d6", "speed": {"walk": "30 ft."}, "challenge_rating": 0.25, "languages": "",
            "reactions": [], "image": "/api/images/monsters/goblin.png"
          },
          {
            "index": "red-dragon-wyrmling", "name": "Red Dragon Wyrmling", "url": "/api/2014/monsters/red-dragon-wyrmling",
            "updated_at": "2026-01-01T00:00:00.000Z", "size": "Medium", "type": "dragon", "alignment": "chaotic evil",
            "armor_class": [{"type": "natural", "value": 17}], "hit_points": 75, "hit_dice": "10d8", "speed": {"walk": "30 ft."},
            "challenge_rating": 4, "languages": "", "reactions": [], "image": "/api/images/monsters/red-dragon-wyrmling.png"
          },
          {
            "index": "skeleton", "name": "Skeleton", "url": "/api/2014/monsters/skeleton", "updated_at": "2026-01-01T00:00:00.000Z",
            "size": "Medium", "type": "undead", "alignment": "lawful evil", "armor_class": [{"type": "natural", "value": 13}],
            "hit_points": 13, "hit_dice": "2d8", "speed": {"walk": "30 ft."}, "challenge_rating": 0.25, "languages": "",
            "reactions": [], "image": "/api/images/monsters/skeleton.png"
          },
          {
            "index": "young-green-dragon", "name": "Young Green Dragon", "url": "/api/2014/monsters/young-green-dragon",
            "updated_at": "2026-01-01T00:00:00.000Z", "size": "Large", "type": "dragon", "alignment": "lawful evil",
            "armor_class": [{"type": "natural", "value": 18}], "hit_points": 136, "hit_dice": "16d10", "speed": {"walk": "30 ft."},
            "challenge_rating": 8, "languages": "", "reactions": [], "image": "/api/images/monsters/young-green-dragon.png"
          }
        ]
        """#
    static let others: StaticString = #"""
        {
          "classes": [
            {
              "index": "bard", "name": "Bard", "hit_die": 8,
              "saving_throws": [{"index": "dex", "name": "DEX", "url": "/api/2014/ability-scores/dex"}],
              "class_levels": "/api/2014/classes/bard/levels", "url": "/api/2014/classes/bard", "updated_at": "2026-01-01T00:00:00.000Z"
            },
            {
              "index": "wizard", "name": "Wizard", "hit_die": 6,
              "saving_throws": [{"index": "int", "name": "INT", "url": "/api/2014/ability-scores/int"}],
              "class_levels": "/api/2014/classes/wizard/levels", "url": "/api/2014/classes/wizard",
              "updated_at": "2026-01-01T00:00:00.000Z"
            }
          ],
          "conditions": [
            {
              "index": "blinded", "name": "Blinded", "desc": ["- Whoever is blinded cannot see.", "- Attacks miss more often."],
              "url": "/api/2014/conditions/blinded", "updated_at": "2026-01-01T00:00:00.000Z"
            }
          ],
          "rules": [
            {
              "index": "adventuring", "name": "Adventuring", "desc": "# Adventuring\n\nA day under way has three parts.",
              "subsections": [{"index": "time", "name": "Time", "url": "/api/2014/rule-sections/time"}],
              "url": "/api/2014/rules/adventuring", "updated_at": "2026-01-01T00:00:00.000Z"
            }
          ],
          "species": [
            {
              "index": "dwarf", "name": "Dwarf", "type": "Humanoid", "speed": 30, "url": "/api/2024/species/dwarf",
              "updated_at": "2026-01-01T00:00:00.000Z"
            }
          ]
        }
        """#
    static let spells: StaticString = #"""
        [
          {
            "index": "acid-arrow", "name": "Acid Arrow", "level": 2, "url": "/api/2014/spells/acid-arrow",
            "updated_at": "2026-01-01T00:00:00.000Z", "desc": ["A shimmering green arrow streaks towards a target within range."],
            "higher_level": [], "range": "120 feet", "components": ["V", "S"], "ritual": false, "duration": "Instantaneous",
            "concentration": false, "casting_time": "1 action",
            "school": {"index": "evocation", "name": "Evocation", "url": "/api/2014/magic-schools/evocation"}
          },
          {
            "index": "fire-bolt", "name": "Fire Bolt", "level": 0, "url": "/api/2014/spells/fire-bolt",
            "updated_at": "2026-01-01T00:00:00.000Z", "desc": ["You hurl a mote of fire at a creature or object within range."],
            "higher_level": [], "range": "120 feet", "components": ["V", "S"], "ritual": false, "duration": "Instantaneous",
            "concentration": false, "casting_time": "1 action",
            "school": {"index": "evocation", "name": "Evocation", "url": "/api/2014/magic-schools/evocation"}
          },
          {
            "index": "fireball", "name": "Fireball", "level": 3, "url": "/api/2014/spells/fireball",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "desc": ["A bright streak flashes to a point you choose and bursts into flame."], "higher_level": [],
            "range": "120 feet", "components": ["V", "S"], "ritual": false, "duration": "Instantaneous", "concentration": false,
            "casting_time": "1 action",
            "school": {"index": "evocation", "name": "Evocation", "url": "/api/2014/magic-schools/evocation"}
          },
          {
            "index": "mage-armor", "name": "Mage Armor", "level": 1, "url": "/api/2014/spells/mage-armor",
            "updated_at": "2026-01-01T00:00:00.000Z",
            "desc": ["A protective magical force surrounds a willing, unarmored creature."], "higher_level": [],
            "range": "120 feet", "components": ["V", "S"], "ritual": false, "duration": "Instantaneous", "concentration": false,
            "casting_time": "1 action",
            "school": {"index": "abjuration", "name": "Abjuration", "url": "/api/2014/magic-schools/abjuration"}
          },
          {
            "index": "misty-step", "name": "Misty Step", "level": 2, "url": "/api/2014/spells/misty-step",
            "updated_at": "2026-01-01T00:00:00.000Z", "desc": ["Briefly surrounded by silvery mist, you teleport up to 30 feet."],
            "higher_level": [], "range": "120 feet", "components": ["V", "S"], "ritual": false, "duration": "Instantaneous",
            "concentration": false, "casting_time": "1 action",
            "school": {"index": "conjuration", "name": "Conjuration", "url": "/api/2014/magic-schools/conjuration"}
          }
        ]
        """#
}
