"""TwitterAPI: posts, comments and followers of one account."""

from typing import Any

import pytest

from dragoman.benchmarks.bfcl.apis.twitter_api import TwitterAPI

FULL: dict[str, Any] = {
    "username": "ann",
    "password": "secret",
    "authenticated": True,
    "tweets": {
        "0": {"id": 0, "username": "ann", "content": "Hi", "tags": ["#Sun"], "mentions": []}
    },
    "comments": {"0": [{"username": "ben", "content": "Ho"}]},
    "retweets": {},
    "following_list": ["ben"],
    "tweet_counter": 1,
}


def test_nothing_is_posted_before_the_login() -> None:
    api = TwitterAPI({}, None)
    assert "authenticate before posting" in str(api.post_tweet("x")["error"])
    assert api.authenticate_twitter("john", "wrong") == {"authentication_status": False}
    assert api.authenticate_twitter("john", "john123") == {"authentication_status": True}
    assert api.post_tweet("x", ["#a"]) == {
        "id": 0,
        "username": "john",
        "content": "x",
        "tags": ["#a"],
        "mentions": [],
    }
    assert api.list_all_following() == {"following_list": ["alice", "bob"]}


def test_posts_without_mentions_share_those_added_later_within_one_world() -> None:
    api, other = TwitterAPI(FULL, None), TwitterAPI(FULL, None)
    api.post_tweet("first")
    api.mention(1, ["@ben"])
    assert api.post_tweet("second")["mentions"] == ["@ben"]
    assert other.post_tweet("elsewhere")["mentions"] == []


def test_posts_without_mentions_share_them_whenever_the_state_was_looked_at() -> None:
    api = TwitterAPI({**FULL, "tweet_counter": 0}, None)
    for text in ("zero", "one", "two"):
        api.post_tweet(text)
        api.state()
    api.post_tweet("three", mentions=["@dan"])
    api.mention(1, ["@ben"])
    api.state()
    api.mention(2, ["@eve"])
    assert [api.get_tweet(number)["mentions"] for number in range(4)] == [
        *[["@ben", "@eve"]] * 3,
        ["@dan"],
    ]


def test_mentions_of_a_post_that_the_entry_has_are_added_to_a_copy() -> None:
    api = TwitterAPI(FULL, None)
    assert api.mention(0, ["@ben", "@ben"]) == {"mention_status": "Users mentioned successfully"}
    assert api.get_tweet(0)["mentions"] == ["@ben", "@ben"]
    assert FULL["tweets"]["0"]["mentions"] == []


def test_comments_that_the_entry_has_are_never_found() -> None:
    api = TwitterAPI(FULL, None)
    assert api.get_tweet_comments(0) == []
    api.comment(0, "new")
    assert api.get_tweet_comments(0) == [{"username": "ann", "content": "new"}]
    assert api.state()["comments"] == {
        "0": [{"username": "ben", "content": "Ho"}],
        0: [{"username": "ann", "content": "new"}],
    }


def test_a_post_is_repeated_once() -> None:
    api = TwitterAPI(FULL, None)
    assert api.retweet(0) == {"retweet_status": "Successfully retweeted"}
    assert api.retweet(0) == {"retweet_status": "Already retweeted"}
    assert api.retweet(9) == {"error": "Tweet with ID 9 not found."}
    assert api.get_user_stats("ann") == {
        "tweet_count": 1,
        "following_count": 1,
        "retweet_count": 1,
    }
    assert api.get_user_stats("ben")["following_count"] == 0


def test_users_are_followed_and_left() -> None:
    api = TwitterAPI(FULL, None)
    assert api.follow_user("ben") == {"follow_status": False}
    assert api.follow_user("cid") == {"follow_status": True}
    assert api.unfollow_user("ben") == {"unfollow_status": True}
    assert api.unfollow_user("dan") == {"unfollow_status": False}
    assert api.state()["following_list"] == ["cid"]


@pytest.mark.parametrize(("keyword", "found"), [("HI", 1), ("#sun", 1), ("#su", 0)])
def test_posts_are_found_by_a_part_of_their_text_or_a_whole_tag(keyword: str, found: int) -> None:
    assert len(TwitterAPI(FULL, None).search_tweets(keyword)) == found
